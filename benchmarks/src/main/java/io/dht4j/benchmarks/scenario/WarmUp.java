package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.counters.Cost;
import io.dht4j.benchmarks.counters.Counters;
import io.dht4j.benchmarks.load.Operation;
import io.dht4j.benchmarks.process.LoadProcess;
import io.dht4j.benchmarks.process.Nodes;
import io.dht4j.benchmarks.scenario.ServerPlan.Pace;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Lets nodes and load reach the speed that they keep. A JVM compiles for minutes after its first request, and on few processors
 * every larger method that is compiled is a pause for whoever waits. So all operations are done in turns at full speed, until the nodes'
 * compilers rest: with one operation after the other, what was compiled for the first would be compiled anew for the second.
 */
final class WarmUp {

    /** The compilers rest if they work for so small a part of the time of one processor, over all nodes. */
    static final double RESTING = 0.1;

    private static final double TURN_SECONDS = 5;

    private final ServerPlan plan;
    private final Nodes nodes;
    private final LoadProcess load;

    WarmUp(ServerPlan plan, Nodes nodes, LoadProcess load) {
        this.plan = plan;
        this.nodes = nodes;
        this.load = load;
    }

    /**
     * Warms up. Blocks.
     *
     * @return why what is measured then is to be doubted: the compilers still worked; empty if they rest
     */
    Optional<String> run() throws IOException, InterruptedException {
        Pace pace = plan.pace();
        return untilRest(
                plan.operations(), pace.warmUpSeconds() * plan.operations().size(), pace.warmUpLimit());
    }

    /**
     * Turns from all operations to one: what was compiled for several is in part compiled anew for one. Blocks.
     *
     * @return why what is measured then is to be doubted; empty if the compilers rest
     */
    Optional<String> turnTo(Operation operation) throws IOException, InterruptedException {
        return plan.operations().size() == 1
                ? Optional.empty()
                : untilRest(List.of(operation), 0, plan.pace().warmUpLimit() / 2);
    }

    private Optional<String> untilRest(List<Operation> operations, double least, double limit)
            throws IOException, InterruptedException {
        double turn = Math.min(TURN_SECONDS, plan.pace().warmUpSeconds());
        double busy = turn > 0 ? Double.POSITIVE_INFINITY : 0;
        double spent = 0;
        while (turn > 0 && (spent < least || (busy > RESTING && spent < limit))) {
            Counters before = nodes.counters();
            long began = System.nanoTime();
            for (Operation operation : operations) {
                load.run(plan.warmUp(operation, turn));
                spent += turn;
            }
            busy = share(nodes.counters().since(before), System.nanoTime() - began);
        }
        return busy > RESTING
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "after warming up for %.0f s the nodes' compilers still had %.0f %% of a processor",
                        spent,
                        100 * busy))
                : Optional.empty();
    }

    /** 0 where the JVM does not tell. */
    private static double share(Counters spent, long nanos) {
        return 1e3 * spent.values().getOrDefault(Cost.COMPILER_MICROS, 0L) / nanos;
    }
}
