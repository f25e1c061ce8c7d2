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
     * Runs it. Gives each measurement to the lab as soon as it has it. Blocks.
     *
     * @param lab where it runs
     * @throws InterruptedException if the run is stopped; what it started is closed
     * @throws Exception if it cannot go on; the message is shown to the user
     */
    void run(Lab lab) throws Exception;
}
