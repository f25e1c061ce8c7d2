package io.dht4j.benchmarks.load;

import picocli.CommandLine.Option;

/**
 * The options that the load commands have in common, each with defaults of its own. To be mixed into a command; for one
 * thread.
 */
public final class LoadOptions {

    @Option(names = "--in-flight", description = "operations under way at most (default: ${DEFAULT-VALUE})")
    private int inFlight;

    @Option(names = "--keys", description = "different keys (default: ${DEFAULT-VALUE})")
    private int keys;

    @Option(names = "--seconds", description = "length of a measured run (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Option(names = "--warm-up", description = "seconds before measuring (default: ${DEFAULT-VALUE})")
    private double warmUp;

    /**
     * What counts unless the command line says otherwise.
     *
     * @param inFlight operations under way at most, 1 or more
     * @param keys different keys, 1 or more
     * @param seconds length of a measured run, more than 0
     * @param warmUp seconds before measuring, 0 or more
     */
    public LoadOptions(int inFlight, int keys, double seconds, double warmUp) {
        this.inFlight = inFlight;
        this.keys = keys;
        this.seconds = seconds;
        this.warmUp = warmUp;
    }

    /**
     * How many operations are under way at most.
     *
     * @return as given
     */
    public int inFlight() {
        return inFlight;
    }

    /**
     * How many different keys there are.
     *
     * @return as given
     */
    public int keys() {
        return keys;
    }

    /**
     * How long a measured run is.
     *
     * @return seconds, as given
     */
    public double seconds() {
        return seconds;
    }

    /**
     * How long the time before measuring is.
     *
     * @return seconds, as given
     */
    public double warmUp() {
        return warmUp;
    }
}
