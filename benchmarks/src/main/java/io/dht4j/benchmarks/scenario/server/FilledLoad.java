package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.process.ChildRefusedException;
import io.dht4j.benchmarks.process.load.LoadRunner;
import io.dht4j.benchmarks.process.node.EmbeddedLoad;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.scenario.RunContext;
import java.io.IOException;
import java.time.Duration;

/** Prepares nodes for a plan: connects the load and writes the keys. */
public final class FilledLoad {

    /** Some seconds of work, after which progress is reported. */
    private static final long KEYS_AT_A_TIME = 50_000;

    /** The deadline for this number: nodes slower than some thirty keys a second fail. */
    private static final Duration DEADLINE = Duration.ofMinutes(30);

    private FilledLoad() {}

    /**
     * Connects the load to nodes and writes every key of a plan once. Blocks.
     *
     * @param context receives the progress
     * @param ack how many replicas must answer
     * @param from of how many
     * @return the load, connected
     * @throws IOException if that fails; if a node has ended, the message has its last log lines
     */
    static LoadRunner of(RunContext context, ServerPlan plan, int ack, int from, Nodes nodes, LoadGenerator generator)
            throws IOException, InterruptedException {
        try {
            LoadRunner load = connect(plan, ack, from, nodes, generator);
            fill(context, load, plan.keys(), plan.valueSizes().largest());
            return load;
        } catch (ChildRefusedException e) {
            // A node that has ended is the reason, with a better message.
            nodes.ping();
            throw e;
        }
    }

    /**
     * Writes every key once, and reports the progress. Blocks.
     *
     * @param valueBytes size of the largest value
     * @throws IOException if that fails
     * @throws InterruptedException if the thread is interrupted
     */
    public static void fill(RunContext context, LoadRunner load, long keys, int valueBytes)
            throws IOException, InterruptedException {
        for (long first = 0; first < keys; first += KEYS_AT_A_TIME) {
            context.within(first, keys);
            load.fill(first, Math.min(KEYS_AT_A_TIME, keys - first), Preload.inFlight(valueBytes), DEADLINE);
        }
    }

    /** Connects the load to nodes that have been filled. Blocks. */
    static LoadRunner connect(ServerPlan plan, int ack, int from, Nodes nodes, LoadGenerator generator)
            throws IOException, InterruptedException {
        ClientSpec client = plan.client().spec(nodes).withPolicy(ack, from).withValueSizes(plan.valueSizes());
        return client.api() == ClientSpec.Api.EMBEDDED
                ? EmbeddedLoad.in(nodes, client, plan.keys())
                : generator.connected(client);
    }
}
