package io.dht4j.benchmarks.process;

import java.util.ArrayList;
import java.util.List;

/** Flags of a node's JVM. */
final class Heap {

    private static final int LEAST = 32;
    private static final int GREATEST = 1_000_000;

    private Heap() {}

    static void check(int megabytes) {
        if (megabytes < LEAST || megabytes > GREATEST) {
            throw new IllegalArgumentException(
                    "heap of a node: " + megabytes + " MB is not " + LEAST + " to " + GREATEST + " MB");
        }
    }

    /**
     * Returns flags for a heap that is touched before measuring and never grows, and for compiled code whose exact
     * places a profiler sees.
     */
    static List<String> flags(int megabytes, List<String> more) {
        List<String> flags = new ArrayList<>(List.of(
                "-Xms" + megabytes + "m",
                "-Xmx" + megabytes + "m",
                "-XX:+AlwaysPreTouch",
                // Above a node's needs: a full collection for lack of room for classes would fall into the first
                // seconds.
                "-XX:MetaspaceSize=96m",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+DebugNonSafepoints"));
        flags.addAll(more);
        return flags;
    }
}
