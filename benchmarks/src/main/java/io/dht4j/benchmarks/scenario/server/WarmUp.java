package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.process.load.LoadProcess;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.scenario.server.ServerPlan.Pace;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.Operation;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Warms up nodes and load. A JVM compiles for minutes after its first request, and on few processors each large
 * compilation delays requests. So all operations run in turns at full speed until the nodes' compilers rest. With one
 * operation after the other, code compiled for the first would be compiled again for the second.
 */
final class WarmUp {

    /** The compilers rest below this part of one processor, summed over the nodes. */
    static final double RESTING = 0.1;

    private static final double TURN_SECONDS = 5;

    private final ServerPlan plan;
    private final Nodes nodes;
    private final LoadProcess load;
    private double spentSeconds;
    private long turns;

    WarmUp(ServerPlan plan, Nodes nodes, LoadProcess load) {
        this.plan = plan;
        this.nodes = nodes;
        this.load = load;
    }

    /** Runs all operations in turns until the compilers rest or the time is over. Blocks. */
    void run() throws IOException, InterruptedException {
        Pace pace = plan.pace();
        double least = pace.warmUpSeconds() * plan.operations().size();
        double busy = 0;
        while (spentSeconds < least || (busy > RESTING && spentSeconds < pace.warmUpLimit())) {
            busy = busyDuring(plan.operations());
        }
    }

    /**
     * Runs one operation until the compilers rest: code compiled for several is in part compiled again for one. Blocks.
     *
     * @return a doubt if they still work at the end; empty if they rest, or without warm-up
     */
    Optional<String> turnTo(Operation operation) throws IOException, InterruptedException {
        if (plan.pace().warmUpSeconds() == 0) {
            return Optional.empty();
        }
        double busy;
        do {
            busy = busyDuring(List.of(operation));
        } while (busy > RESTING && spentSeconds < plan.pace().warmUpLimit());
        return busy > RESTING
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "after warming up for %.0f s the compilers of the nodes were still at work, with %.0f %% "
                                + "of a processor together",
                        spentSeconds,
                        100 * busy))
                : Optional.empty();
    }

    /** Runs one turn of each operation, and returns the part for which the compilers worked. */
    private double busyDuring(List<Operation> operations) throws IOException, InterruptedException {
        double turn = Math.min(TURN_SECONDS, plan.pace().warmUpSeconds());
        Counters before = nodes.counters();
        long began = System.nanoTime();
        for (Operation operation : operations) {
            load.run(plan.warmUp(operation, turn).withSeed(turns++));
            spentSeconds += turn;
        }
        return share(nodes.counters().since(before), System.nanoTime() - began);
    }

    /** Returns the part of one processor, summed over the nodes; 0 if unknown. */
    private static double share(Counters spent, long nanos) {
        return 1e3 * spent.values().getOrDefault(Cost.COMPILER_MICROS, 0L) / nanos;
    }
}
