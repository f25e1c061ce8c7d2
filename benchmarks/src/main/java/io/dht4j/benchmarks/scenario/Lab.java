package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.report.Measurement;
import java.nio.file.Path;
import java.util.List;

/** What a scenario is given to run with. For the scenario's own thread. */
public interface Lab {

    /** Whether this is the short form. */
    boolean quick();

    /**
     * A parameter's value as given, or its default.
     *
     * @throws IllegalArgumentException if the scenario has no such parameter
     */
    String text(String parameter);

    /**
     * A parameter that is a whole number.
     *
     * @throws IllegalArgumentException if it is none or not in the range; the message names parameter, value and range
     */
    long number(String parameter, long least, long greatest);

    /**
     * A parameter that is a number.
     *
     * @throws IllegalArgumentException if it is none or not in the range; the message names parameter, value and range
     */
    double decimal(String parameter, double least, double greatest);

    /**
     * A parameter that is a list with commas between, each one of some names.
     *
     * @throws IllegalArgumentException if a name is not allowed; the message lists those that are
     */
    List<String> names(String parameter, List<String> allowed);

    /** Where the report's further files go: flame graphs, stacks. It exists. */
    Path directory();

    /** Where data goes that is deleted after the run. It exists. */
    Path scratch();

    /**
     * Says how many steps are planned, for the time left. May be called again when that changes.
     */
    void plan(int steps);

    /** Says what is done now: one of the planned steps. */
    void step(String what);

    /** Keeps a measurement; one with the same group and variant is replaced. */
    void add(Measurement measurement);

    /** Keeps something that a reader must know, in words. */
    void note(String text);
}
