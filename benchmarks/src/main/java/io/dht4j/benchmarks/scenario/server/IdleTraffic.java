package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.MachineCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The traffic between nodes that no client calls. */
public final class IdleTraffic {

    private static final double SETTLING_SECONDS = 5;
    private static final double NANOS = 1e9;

    private IdleTraffic() {}

    /**
     * Starts nodes and counts the traffic over loopback, that of other programs included. Blocks.
     *
     * @param context has the directory for data
     * @param variant of the nodes
     * @param plan of the nodes
     * @param windows to count
     * @param seconds of each
     * @return bytes per second of a node in each window, headers of TCP included; empty if the system does not count
     *     them
     * @throws IOException if a node ends
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public static List<Double> bytesPerSecond(
            RunContext context, ServerVariant variant, ServerPlan plan, int windows, double seconds)
            throws IOException, InterruptedException {
        Path data = Files.createTempDirectory(context.scratch(), "idle");
        List<Double> counted = new ArrayList<>();
        try (Nodes nodes = Nodes.start(plan.client().offering(variant.spec(data, plan.jvm())))) {
            sleep(SETTLING_SECONDS);
            MachineCounters machine = new MachineCounters();
            for (int i = 0; i < windows; i++) {
                Long before = machine.read().values().get(Cost.BYTES_ON_THE_WIRE);
                long began = System.nanoTime();
                sleep(seconds);
                Long after = machine.read().values().get(Cost.BYTES_ON_THE_WIRE);
                if (before == null || after == null) {
                    return List.of();
                }
                counted.add((after - before) * NANOS / (System.nanoTime() - began) / variant.nodes());
            }
            nodes.ping();
        }
        Directories.delete(data);
        return counted;
    }

    private static void sleep(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * NANOS));
    }
}
