package io.dht4j.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The JVMs of nodes.
 *
 * @param heapMegabytes size of the heap
 * @param flags further flags
 */
record NodeJvm(int heapMegabytes, List<String> flags) {

    private static final Map<String, List<String>> COMPILERS =
            Map.of("all", List.of(), "c1", List.of("-XX:TieredStopAtLevel=1"));

    private static final Map<String, List<String>> COLLECTORS = Map.of(
            "g1",
            List.of("-XX:+UseG1GC"),
            "parallel",
            List.of("-XX:+UseParallelGC"),
            "serial",
            List.of("-XX:+UseSerialGC"));

    /** Keeps an unmodifiable copy. */
    NodeJvm {
        flags = List.copyOf(flags);
    }

    static List<Parameter> parameters() {
        return List.of(
                new Parameter("heap", "heap of each node, 64 to 100,000 MB", "512", "1024"),
                new Parameter(
                        "compiler",
                        "of the nodes and the load: all; or c1, which is done in seconds and makes slower code",
                        "c1",
                        "all"),
                new Parameter("collector", "of garbage in the nodes: g1, parallel or serial", "g1", "g1"));
    }

    static NodeJvm of(Settings settings) {
        List<String> flags = new ArrayList<>(compilerFlags(settings));
        flags.addAll(one(settings, "collector", COLLECTORS));
        return new NodeJvm((int) settings.number("heap", 64, 100_000), flags);
    }

    /** The flags that the load's JVM shares. */
    static List<String> compilerFlags(Settings settings) {
        return one(settings, "compiler", COMPILERS);
    }

    /** The same with more flags. */
    NodeJvm with(List<String> more) {
        List<String> all = new ArrayList<>(flags);
        all.addAll(more);
        return new NodeJvm(heapMegabytes, all);
    }

    private static List<String> one(Settings settings, String parameter, Map<String, List<String>> choices) {
        List<String> names =
                settings.names(parameter, choices.keySet().stream().sorted().toList());
        if (names.size() != 1) {
            throw new IllegalArgumentException("--" + parameter + " must be one of "
                    + String.join(", ", choices.keySet().stream().sorted().toList()) + ", not several");
        }
        return choices.getOrDefault(names.get(0), List.of());
    }
}
