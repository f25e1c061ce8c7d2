package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.process.Parallel;
import io.dht4j.benchmarks.process.load.LoadCommands;
import io.dht4j.benchmarks.process.load.LoadRunner;
import io.dht4j.benchmarks.process.load.LoadShares;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A load within the processes of the nodes: each calls its own cluster, with an equal part of the rate. Safe for use by
 * any number of threads.
 */
public final class EmbeddedLoad implements LoadRunner {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<NodeProcess> nodes;
    private final Duration timeout;

    private EmbeddedLoad(List<NodeProcess> nodes, Duration timeout) {
        this.nodes = nodes;
        this.timeout = timeout;
    }

    /**
     * Readies the nodes for loads. Blocks.
     *
     * @param nodes of one cluster
     * @param client of {@link ClientSpec.Api#EMBEDDED}
     * @param keys number of keys that are written before the loads
     * @throws IOException if a node has ended or gives no answer
     * @throws InterruptedException if the thread is interrupted
     */
    public static EmbeddedLoad in(Nodes nodes, ClientSpec client, long keys) throws IOException, InterruptedException {
        List<NodeProcess> all = nodes.all();
        for (int i = 0; i < all.size(); i++) {
            all.get(i).embedLoad(new NodeCommands.EmbedLoad(client, keys, i, all.size()));
        }
        return new EmbeddedLoad(all, Duration.ofMillis(client.timeoutMillis()));
    }

    @Override
    public Preload.Filled fill(long first, long keys, int maxInFlight, Duration deadline)
            throws IOException, InterruptedException {
        return nodes.get(0).fill(new LoadCommands.Fill(first, keys, maxInFlight), deadline);
    }

    @Override
    public Optional<Counters> counters() {
        return Optional.empty();
    }

    @Override
    public LoadResult run(LoadSpec spec) throws IOException, InterruptedException {
        int count = nodes.size();
        Duration deadline = Duration.ofMillis((long) ((spec.warmUpSeconds() + spec.seconds()) * 1000))
                .plus(timeout)
                .plus(PATIENCE);
        List<Callable<LoadResult>> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            NodeProcess node = nodes.get(i);
            LoadSpec part = LoadShares.part(spec, i, count, spec.keys());
            runs.add(() -> node.run(part, deadline));
        }
        return LoadShares.merge(spec, Parallel.call(runs));
    }
}
