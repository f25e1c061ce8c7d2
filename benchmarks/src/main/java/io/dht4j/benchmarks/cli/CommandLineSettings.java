package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The settings of the command line over a scenario's defaults. */
final class CommandLineSettings implements Settings {

    private final boolean quick;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, String> defaults = new LinkedHashMap<>();
    private final String known;

    /**
     * Creates the settings of a scenario.
     *
     * @param given values by the names of the scenario's parameters
     */
    CommandLineSettings(Scenario scenario, boolean quick, Map<String, String> given) {
        this.quick = quick;
        for (Parameter parameter : scenario.parameters()) {
            defaults.put(parameter.name(), quick ? parameter.quick() : parameter.full());
        }
        values.putAll(defaults);
        values.putAll(given);
        known = scenario.parameters().stream().map(Parameter::name).collect(Collectors.joining(", "));
    }

    /** Returns every parameter with its value, in the scenario's order. */
    Map<String, String> all() {
        return Collections.unmodifiableMap(values);
    }

    @Override
    public boolean quick() {
        return quick;
    }

    @Override
    public boolean isDefault(String parameter) {
        return text(parameter).strip().equals(defaults.get(parameter));
    }

    @Override
    public String text(String parameter) {
        String value = values.get(parameter);
        if (value == null) {
            throw new IllegalArgumentException("there is no parameter " + parameter + "; there are: " + known);
        }
        return value;
    }

    @Override
    public long number(String parameter, long least, long greatest) {
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

    @Override
    public double decimal(String parameter, double least, double greatest) {
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

    @Override
    public List<String> names(String parameter, List<String> allowed) {
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

    @Override
    public String one(String parameter, List<String> allowed) {
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
