package io.dht4j.benchmarks.load;

import picocli.CommandLine.Option;

/**
 * The options that the load commands share, each command with its own defaults. A picocli mixin, confined to one
 * thread.
 */
public final class LoadOptions {

    @Option(names = "--in-flight", description = "greatest number of operations in flight (default: ${DEFAULT-VALUE})")
    private int inFlight;

    @Option(names = "--keys", description = "different keys (default: ${DEFAULT-VALUE})")
    private int keys;

    @Option(names = "--seconds", description = "length of a measured run (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Option(names = "--warm-up", description = "seconds before measuring (default: ${DEFAULT-VALUE})")
    private double warmUp;

    /**
     * Creates the options with their defaults.
     *
     * @param inFlight greatest number of operations in flight, 1 or more
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
     * Returns the greatest number of operations in flight.
     *
     * @return the option's value
     */
    public int inFlight() {
        return inFlight;
    }

    /**
     * Returns the number of different keys.
     *
     * @return the option's value
     */
    public int keys() {
        return keys;
    }

    /**
     * Returns the length of a measured run.
     *
     * @return seconds
     */
    public double seconds() {
        return seconds;
    }

    /**
     * Returns the length of the warm-up.
     *
     * @return seconds
     */
    public double warmUp() {
        return warmUp;
    }
}
