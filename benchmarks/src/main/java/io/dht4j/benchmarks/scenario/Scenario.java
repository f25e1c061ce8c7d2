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
     * What a run needs of the machine at most; a run does not begin where that is not there. Quick, and without effect.
     *
     * @param settings what was given, checked
     * @return disk and memory; 64 MiB of disk unless overridden
     */
    default Needs needs(Settings settings) {
        return Needs.LITTLE;
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
