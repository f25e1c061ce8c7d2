package io.dht4j.benchmarks.process;

import java.util.ArrayList;
import java.util.List;

/** Flags of the JVMs of child processes. */
public final class JvmFlags {

    private static final int LEAST = 32;
    private static final int GREATEST = 1_000_000;

    private JvmFlags() {}

    /**
     * Validates the size of a heap.
     *
     * @param megabytes 32 to 1,000,000
     * @throws IllegalArgumentException if it is out of range
     */
    public static void checkHeap(int megabytes) {
        if (megabytes < LEAST || megabytes > GREATEST) {
            throw new IllegalArgumentException(
                    "heap of a node: " + megabytes + " MB is not " + LEAST + " to " + GREATEST + " MB");
        }
    }

    /**
     * Returns flags for a heap that is touched before measuring and never grows, and for compiled code whose exact
     * places a profiler sees.
     *
     * @param megabytes size of the heap
     * @param more further flags
     * @return all flags
     */
    public static List<String> withHeap(int megabytes, List<String> more) {
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
