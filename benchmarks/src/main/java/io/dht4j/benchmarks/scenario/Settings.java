package io.dht4j.benchmarks.scenario;

import java.util.List;

/** The parameters of a run as given on the command line, or their defaults. Safe for use by any number of threads. */
public interface Settings {

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

    /**
     * A parameter that is one of some names.
     *
     * @throws IllegalArgumentException if it is none of them; the message lists them
     */
    String one(String parameter, List<String> allowed);
}
