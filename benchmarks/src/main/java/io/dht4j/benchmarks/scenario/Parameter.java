package io.dht4j.benchmarks.scenario;

/**
 * Something that can be set on the command line as {@code --name value}.
 *
 * @param name lower case, words joined by hyphens
 * @param meaning for people, with unit and range
 * @param quick the value of the short form
 * @param full the value of the full form
 */
public record Parameter(String name, String meaning, String quick, String full) {

    /**
     * The same with another value of the short form.
     *
     * @param value in place of the old one
     */
    Parameter withQuick(String value) {
        return new Parameter(name, meaning, value, full);
    }
}
