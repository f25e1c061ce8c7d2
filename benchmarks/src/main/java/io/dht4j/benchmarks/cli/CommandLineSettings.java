package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import java.util.Collections;
import java.util.LinkedHashMap;
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
}
