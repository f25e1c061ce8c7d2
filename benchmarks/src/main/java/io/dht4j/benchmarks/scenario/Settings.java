package io.dht4j.benchmarks.scenario;

import java.util.Collection;
import java.util.List;

/** The parameters of a run, from the command line or by default. Safe for use by any number of threads. */
public interface Settings {

    /** Returns whether this is the short form. */
    boolean quick();

    /**
     * Returns whether a parameter has its default, given or not.
     *
     * @throws IllegalArgumentException if the scenario has no such parameter
     */
    boolean isDefault(String parameter);

    /**
     * Checks parameters that have no effect beside another one.
     *
     * @param parameters of the scenario
     * @param why the other one, after "has no effect"
     * @throws IllegalArgumentException if one has another value than its default; the message names it
     */
    default void requireDefaults(Collection<String> parameters, String why) {
        for (String parameter : parameters) {
            if (!isDefault(parameter)) {
                throw new IllegalArgumentException("--" + parameter + " has no effect " + why);
            }
        }
    }

    /**
     * Returns a parameter's value, or its default.
     *
     * @throws IllegalArgumentException if the scenario has no such parameter
     */
    String text(String parameter);

    /**
     * Returns a parameter that is a whole number.
     *
     * @throws IllegalArgumentException if it is malformed or out of range; the message names parameter, value and range
     */
    long number(String parameter, long least, long greatest);

    /**
     * Returns a parameter that is a number.
     *
     * @throws IllegalArgumentException if it is malformed or out of range; the message names parameter, value and range
     */
    double decimal(String parameter, double least, double greatest);

    /**
     * Returns a parameter that is a comma-separated list of some names.
     *
     * @throws IllegalArgumentException if a name is unknown; the message lists the known ones
     */
    List<String> names(String parameter, List<String> allowed);

    /**
     * Returns a parameter that is one of some names.
     *
     * @throws IllegalArgumentException if it is unknown; the message lists the known ones
     */
    String one(String parameter, List<String> allowed);
}
