package io.dht4j.benchmarks.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What async-profiler saw of the nodes.
 *
 * @param event {@code cpu}, {@code alloc}, {@code lock} or {@code wall}
 * @param samples how much was seen in all: nanoseconds, of the processor for {@code cpu}, of waiting for {@code lock},
 *     by the clock for {@code wall}; for {@code alloc} bytes
 * @param layers share of each layer by name, 0 to 1, together 1
 * @param flameGraph file with the flame graph, relative to the report's directory
 * @param collapsed file with the collapsed stacks, relative to the report's directory
 */
public record Profile(String event, long samples, Map<String, Double> layers, String flameGraph, String collapsed) {

    /** Keeps an unmodifiable copy, layers in their order. */
    public Profile {
        layers = Collections.unmodifiableMap(new LinkedHashMap<>(layers));
    }
}
