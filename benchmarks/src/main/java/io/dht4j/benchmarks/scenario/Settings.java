package io.dht4j.benchmarks.scenario;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

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
    default long number(String parameter, long least, long greatest) {
        String value = text(parameter);
        try {
            long number = Long.parseLong(value.strip().replace("_", ""));
            if (number >= least && number <= greatest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below, with the range.
        }
        throw refused(parameter, value, String.format(Locale.ROOT, "a whole number from %,d to %,d", least, greatest));
    }

    /**
     * Returns a parameter that is a number.
     *
     * @throws IllegalArgumentException if it is malformed or out of range; the message names parameter, value and range
     */
    default double decimal(String parameter, double least, double greatest) {
        String value = text(parameter);
        try {
            double number = Double.parseDouble(value.strip());
            if (number >= least && number <= greatest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below, with the range.
        }
        throw refused(parameter, value, "a number from " + plain(least) + " to " + plain(greatest));
    }

    /**
     * Returns a parameter that is a comma-separated list of some names.
     *
     * @throws IllegalArgumentException if a name is unknown; the message lists the known ones
     */
    default List<String> names(String parameter, List<String> allowed) {
        String value = text(parameter);
        List<String> names =
                Arrays.stream(value.split(",", -1)).map(String::strip).toList();
        if (!allowed.containsAll(names)) {
            throw refused(parameter, value, "one or more, with commas between, of " + String.join(", ", allowed));
        }
        if (names.stream().distinct().count() < names.size()) {
            throw refused(parameter, value, "a list that names each only once");
        }
        return names;
    }

    /**
     * Returns a parameter that is one of some names.
     *
     * @throws IllegalArgumentException if it is unknown; the message lists the known ones
     */
    default String one(String parameter, List<String> allowed) {
        String value = text(parameter);
        String name = value.strip();
        if (!allowed.contains(name)) {
            throw refused(parameter, value, "one of " + String.join(", ", allowed));
        }
        return name;
    }

    private static String plain(double number) {
        return number == Math.rint(number)
                ? String.format(Locale.ROOT, "%,.0f", number)
                : BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    private static IllegalArgumentException refused(String parameter, String value, String wanted) {
        return new IllegalArgumentException("--" + parameter + " must be " + wanted + ", not '" + value + "'");
    }
}
