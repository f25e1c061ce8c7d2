package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The JVMs of nodes.
 *
 * @param heapMegabytes size of the heap
 * @param processors available to a node; 0 for an equal share of the machine's
 * @param flags further flags
 */
public record NodeJvm(int heapMegabytes, int processors, List<String> flags) {

    private static final String NONE = "none";

    private static final Map<String, List<String>> COMPILERS =
            Map.of("all", List.of(), "c1", List.of("-XX:TieredStopAtLevel=1"));

    private static final Map<String, List<String>> COLLECTORS = Map.of(
            "g1",
            List.of("-XX:+UseG1GC"),
            "parallel",
            List.of("-XX:+UseParallelGC"),
            "serial",
            List.of("-XX:+UseSerialGC"),
            "shenandoah",
            List.of("-XX:+UseShenandoahGC"),
            "z",
            z(Runtime.version().feature()));

    /** Keeps an unmodifiable copy. */
    public NodeJvm {
        flags = List.copyOf(flags);
    }

    /** From 21 to 23, a flag chooses the generational form, which later versions have alone. */
    private static List<String> z(int version) {
        return version >= 21 && version < 24 ? List.of("-XX:+UseZGC", "-XX:+ZGenerational") : List.of("-XX:+UseZGC");
    }

    /** Returns its parameters. */
    public static List<Parameter> parameters() {
        return List.of(
                new Parameter("heap", "heap of each node, 128 to 100,000 MB", "512", "1024"),
                Parameter.of(
                        "compiler",
                        "of the nodes and the load: all; or c1, which is done in seconds and makes slower code",
                        "all"),
                Parameter.of(
                        "processors",
                        "that each node counts on, 1 to 1024; 0 for an equal share of the machine's, so that nodes have"
                                + " fewer threads",
                        "0"),
                Parameter.of(
                        "collector",
                        "of garbage in the nodes: g1, parallel, serial, z, or shenandoah if the JVM has it",
                        "g1"),
                Parameter.of(
                        "node-flags",
                        "further flags of the nodes' JVMs, with spaces between, such as -Xmn64m; or none",
                        NONE));
    }

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    public static NodeJvm of(Settings settings) {
        List<String> flags = new ArrayList<>(compilerFlags(settings));
        flags.addAll(one(settings, "collector", COLLECTORS));
        flags.addAll(further(settings.text("node-flags").strip()));
        return new NodeJvm(
                (int) settings.number("heap", 128, 100_000), (int) settings.number("processors", 0, 1024), flags);
    }

    /** Splits flags in a text. */
    static List<String> further(String text) {
        if (text.equals(NONE)) {
            return List.of();
        }
        List<String> flags = List.of(text.split("\\s+"));
        for (String flag : flags) {
            if (flag.startsWith("-Xmx") || flag.startsWith("-Xms") || flag.startsWith("-XX:ActiveProcessorCount")) {
                throw new IllegalArgumentException(
                        "--node-flags must not have " + flag + ": that is said by --heap and --processors");
            }
            if (!flag.startsWith("-")) {
                throw new IllegalArgumentException(
                        "--node-flags must be flags of a JVM, each of which begins with -, or " + NONE + ", not \""
                                + flag + "\"");
            }
        }
        return flags;
    }

    /** Returns the flags that the load's JVM shares. */
    public static List<String> compilerFlags(Settings settings) {
        return one(settings, "compiler", COMPILERS);
    }

    /** Returns a copy with more flags. */
    public NodeJvm with(List<String> more) {
        List<String> all = new ArrayList<>(flags);
        all.addAll(more);
        return new NodeJvm(heapMegabytes, processors, all);
    }

    /**
     * Returns the flags of each node's JVM, without its heap.
     *
     * @param nodes that share the machine
     */
    public List<String> flags(int nodes) {
        int each = processors == 0 ? Math.max(1, Runtime.getRuntime().availableProcessors() / nodes) : processors;
        List<String> all = new ArrayList<>(flags);
        all.add("-XX:ActiveProcessorCount=" + each);
        return all;
    }

    private static List<String> one(Settings settings, String parameter, Map<String, List<String>> choices) {
        String name = settings.one(parameter, choices.keySet().stream().sorted().toList());
        return choices.getOrDefault(name, List.of());
    }
}
