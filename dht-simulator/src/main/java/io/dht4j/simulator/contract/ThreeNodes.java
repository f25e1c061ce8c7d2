package io.dht4j.simulator.contract;

import io.dht4j.Cluster;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/** A cluster of nodes n1, n2, n3 in this process, which can be stopped and restarted with their entries. */
final class ThreeNodes implements AutoCloseable {

    /** Sets a node's options. */
    @FunctionalInterface
    interface Tuning {
        ClusterBuilder tune(String node, ClusterBuilder builder);
    }

    private final Function<Node, Transport> transports;
    private final Topology topology;
    private final Tuning tuning;
    private final AtomicReferenceArray<Cluster> nodes = new AtomicReferenceArray<>(3);
    private final AtomicReferenceArray<CountingTransport> counters = new AtomicReferenceArray<>(3);
    private final List<KeptStore> stores = List.of(new KeptStore(), new KeptStore(), new KeptStore());

    private ThreeNodes(Function<Node, Transport> transports, List<String> addresses, Tuning tuning) {
        this.transports = transports;
        this.tuning = tuning;
        this.topology = Topology.of(
                Node.of("n1", addresses.get(0)), Node.of("n2", addresses.get(1)), Node.of("n3", addresses.get(2)));
    }

    static ThreeNodes start(Function<Node, Transport> transports, List<String> addresses, Tuning tuning) {
        ThreeNodes cluster = new ThreeNodes(transports, addresses, tuning);
        try {
            for (int i = 0; i < 3; i++) {
                cluster.start(i);
            }
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts a stopped node with the entries of its store. */
    void start(int i) {
        Node node = topology.nodes().get(i);
        CountingTransport transport = new CountingTransport(transports.apply(node));
        ClusterBuilder builder = ClusterBuilder.of(node.id(), topology)
                .transport(transport)
                .store(stores.get(i))
                .timeout(Duration.ofSeconds(20))
                .drainTimeout(Duration.ofSeconds(1));
        counters.set(i, transport);
        nodes.set(i, tuning.tune(node.id().value(), builder).start());
    }

    void stop(int i) {
        nodes.get(i).close();
    }

    Topology topology() {
        return topology;
    }

    Cluster get(int i) {
        return nodes.get(i);
    }

    String transportName(int i) {
        return counters.get(i).name();
    }

    /** Returns how many of a node's calls to peers were answered. */
    int answered(int i) {
        return counters.get(i).answered.get();
    }

    @Override
    public void close() {
        for (int i = 0; i < 3; i++) {
            Cluster node = nodes.get(i);
            if (node != null) {
                node.close();
            }
        }
    }

    /** Counts answered calls. */
    private static final class CountingTransport extends ForwardingTransport {

        private final AtomicInteger answered = new AtomicInteger();

        CountingTransport(Transport transport) {
            super(transport);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            return super.call(node, request, context).thenApply(reply -> {
                answered.incrementAndGet();
                return reply;
            });
        }
    }

    /** A store in memory that outlives its node. */
    private static final class KeptStore extends ForwardingStore {

        KeptStore() {
            super(new ModelStore());
        }

        @Override
        public Version newestAtOpen() {
            Version newest = new Version(0);
            try (EntryCursor cursor = scan(KeyRange.all())) {
                while (cursor.hasNext()) {
                    Version version = cursor.next().version();
                    newest = version.compareTo(newest) > 0 ? version : newest;
                }
            }
            return newest;
        }

        @Override
        public String name() {
            return "kept";
        }

        /** Does nothing: each node opens the store again. */
        @Override
        public void claim(NodeId node) {}

        /** Keeps the entries for the next node with this store. */
        @Override
        public void close() {}
    }
}
