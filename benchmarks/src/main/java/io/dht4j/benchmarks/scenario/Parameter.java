package io.dht4j.benchmarks.scenario;

import java.util.List;

/**
 * A parameter of the form {@code --name value}.
 *
 * @param name lower case, words joined by hyphens
 * @param meaning for people, with unit and range
 * @param quick the value of the short form
 * @param full the value of the full form
 */
public record Parameter(String name, String meaning, String quick, String full) {

    /** Returns a parameter with the same value in both forms. */
    public static Parameter of(String name, String meaning, String value) {
        return new Parameter(name, meaning, value, value);
    }

    /**
     * Returns a parameter that lists names.
     *
     * @param what their meaning
     * @param allowed all of them
     */
    public static Parameter list(String name, String what, List<String> allowed, String quick, String full) {
        return new Parameter(name, what + ", separated by commas: " + String.join(", ", allowed), quick, full);
    }

    /** Returns a parameter that lists names: in the full form all. */
    public static Parameter list(String name, String what, List<String> allowed, String quick) {
        return list(name, what, allowed, quick, String.join(",", allowed));
    }

    /** Returns a copy with other values. */
    public Parameter byDefault(String newQuick, String newFull) {
        return new Parameter(name, meaning, newQuick, newFull);
    }
}
