package io.dht4j.benchmarks.scenario;

import java.util.List;

/** An experiment that one command runs. Without state: one instance may run any number of times. */
public interface Scenario {

    /** Its name on the command line: lower case, one word. */
    String name();

    /** What it answers, as one question. */
    String question();

    /** What can be set, each with defaults for the short and the full form. */
    List<Parameter> parameters();

    /**
     * Checks the values of the parameters, before anything starts, by reading each of them. Quick, and without effect.
     *
     * @param settings what was given
     * @throws IllegalArgumentException if a value is not allowed; the message names parameter, value and range
     */
    void check(Settings settings);

    /**
     * How much disk space a run needs at most, for its data and its report. Quick, and without effect.
     *
     * @param settings what was given, checked
     * @return bytes; 64 MiB unless overridden
     */
    default long diskBytes(Settings settings) {
        return 64L << 20;
    }

    /**
     * Runs it. Gives each measurement to the lab as soon as it has it. Blocks.
     *
     * @param lab where it runs
     * @throws InterruptedException if the run is stopped; what it started is closed
     * @throws Exception if it cannot go on; the message is shown to the user
     */
    void run(Lab lab) throws Exception;
}
