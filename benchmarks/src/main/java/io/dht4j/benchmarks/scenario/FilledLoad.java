package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.process.ChildRefusedException;
import io.dht4j.benchmarks.process.LoadProcess;
import io.dht4j.benchmarks.process.Nodes;
import java.io.IOException;
import java.time.Duration;

/** Brings nodes to what a plan asks for before anything is measured. */
final class FilledLoad {

    private static final int MOST_IN_FLIGHT = 128;
    private static final int BYTES_IN_FLIGHT = 8 << 20;

    /** Some seconds of work, after which the progress is told. */
    private static final long KEYS_AT_A_TIME = 50_000;

    /** For so many: nodes that take fewer than some thirty keys a second are not waited for. */
    private static final Duration DEADLINE = Duration.ofMinutes(30);

    private FilledLoad() {}

    /**
     * Connects the load to nodes and writes every key of a plan once. Blocks.
     *
     * @param lab is told the progress
     * @param ack how many replicas must answer
     * @param from of how many
     * @return the load, connected
     * @throws IOException if that fails; if a node has died, that is what the message tells, with its last log lines
     */
    static LoadProcess of(Lab lab, ServerPlan plan, int ack, int from, Nodes nodes, Generator generator)
            throws IOException, InterruptedException {
        try {
            LoadProcess load = generator.connected(
                    plan.client().target(nodes).withPolicy(ack, from).withValueBytes(plan.valueBytes()));
            for (long first = 0; first < plan.keys(); first += KEYS_AT_A_TIME) {
                lab.within(first, plan.keys());
                long keys = Math.min(KEYS_AT_A_TIME, plan.keys() - first);
                load.fill(first, keys, inFlight(plan.valueBytes()), DEADLINE);
            }
            return load;
        } catch (ChildRefusedException e) {
            // A node that died is the reason, and knows more.
            nodes.ping();
            throw e;
        }
    }

    /** Of large values fewer at a time, or they time out while they wait for each other. */
    private static int inFlight(int valueBytes) {
        return Math.max(1, Math.min(MOST_IN_FLIGHT, BYTES_IN_FLIGHT / Math.max(1, valueBytes)));
    }
}
