package io.dht4j.benchmarks.scenario;

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
}
