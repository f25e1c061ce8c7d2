package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.process.load.LoadRunner;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.WarmUp;
import io.dht4j.lab.internal.load.WarmUp.Turn;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Warms up nodes and load: all operations in turns at full speed, until the nodes' compilers rest. */
final class NodesWarmUp {

    private static final double TURN_SECONDS = 5;

    /** The limit at the rates of the cost measurements, as a part of that at full speed. */
    private static final double SETTLING = 0.5;

    private final ServerPlan plan;
    private final LoadRunner load;
    private final WarmUp.Reading<IOException> counters;
    private final WarmUp<IOException> warmUp;
    private long turns;

    NodesWarmUp(ServerPlan plan, WarmUp.Reading<IOException> counters, LoadRunner load) {
        this.plan = plan;
        this.load = load;
        this.counters = counters;
        this.warmUp = new WarmUp<>(plan.pace().warmUpLimit(), counters, System::nanoTime);
    }

    /** Runs all operations in turns until the compilers rest or the time is over. Blocks. */
    void run() throws IOException, InterruptedException {
        double each = plan.pace().warmUpSeconds();
        if (each > 0) {
            warmUp.run(
                    each * plan.operations().size(),
                    plan.operations().stream().map(this::turn).toList());
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
        if (!plan.operations().equals(List.of(operation))) {
            warmUp.run(0, List.of(turn(operation)));
        }
        return warmUp.doubt(plan.costs().counted());
    }

    /**
     * Runs a load until the compilers rest, once at least: at a rate that leaves queues empty other code runs than at
     * full speed. Blocks. Without warm-up it does nothing.
     */
    void settleAt(LoadSpec spec) throws IOException, InterruptedException {
        if (plan.pace().warmUpSeconds() > 0) {
            Turn<IOException> turn = () -> {
                load.run(spec);
                return spec.seconds();
            };
            double limit =
                    SETTLING * plan.pace().warmUpLimit() / plan.operations().size();
            new WarmUp<>(limit, counters, System::nanoTime).run(0, List.of(turn));
        }
    }

    private Turn<IOException> turn(Operation operation) {
        double seconds = Math.min(TURN_SECONDS, plan.pace().warmUpSeconds());
        return () -> {
            load.run(plan.warmUp(operation, seconds).withSeed(turns++));
            return seconds;
        };
    }
}
