package io.dht4j.benchmarks.scenario;

import java.util.List;
import java.util.Map;

/**
 * A parameter of the form {@code --name value}.
 *
 * @param name lower case, words joined by hyphens
 * @param meaning for people, with unit and range
 * @param quick the value of the short form
 * @param full the value of the full form
 */
public record Parameter(String name, String meaning, String quick, String full) {

    /**
     * Returns a copy with another value of the short form.
     *
     * @param value the new value
     */
    public Parameter withQuick(String value) {
        return new Parameter(name, meaning, value, full);
    }

    /**
     * Returns a copy with other values, if there are some for its name.
     *
     * @param defaults the value of the short form and that of the full one, by names of parameters
     */
    public Parameter withDefaults(Map<String, List<String>> defaults) {
        List<String> own = defaults.getOrDefault(name, List.of(quick, full));
        return new Parameter(name, meaning, own.get(0), own.get(1));
    }
}
