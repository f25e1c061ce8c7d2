package io.dht4j.benchmarks.results;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A profile of the nodes by async-profiler.
 *
 * @param event {@code cpu}, {@code alloc}, {@code lock} or {@code wall}
 * @param samples the total: nanoseconds of the processor for {@code cpu}, of waiting for {@code lock}, of wall-clock
 *     time for {@code wall}; bytes for {@code alloc}
 * @param layers share of each layer by name, 0 to 1, in sum 1
 * @param flameGraph file with the flame graph, relative to the report's directory
 * @param collapsed file with the collapsed stacks, relative to the report's directory
 */
public record Profile(String event, long samples, Map<String, Double> layers, String flameGraph, String collapsed) {

    /**
     * Validates the paths and keeps an unmodifiable copy, layers in their order.
     *
     * @throws IllegalArgumentException if a path is absolute, has a scheme or leaves the report's directory
     */
    public Profile {
        ReportPath.require("flameGraph", flameGraph);
        ReportPath.require("collapsed", collapsed);
        layers = Collections.unmodifiableMap(new LinkedHashMap<>(layers));
    }
}
