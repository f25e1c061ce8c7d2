package io.dht4j.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.RepairStatus;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.HintedHandoff;
import io.dht4j.core.Repair;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.LoopbackNetwork;
import io.dht4j.testkit.ModelStore;
import io.dht4j.testkit.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * How many bytes a repair moves. {@code -Ddht.repair.entries=1000000} makes it as large as the figures in {@code docs/anti-entropy.md}; the bounds are the same.
 */
class RepairTrafficTest {

    private static final int ENTRIES = Integer.getInteger("dht.repair.entries", 50_000);
    private static final int DIFFERENCES = 1000;
    private static final int VALUE_BYTES = 100;
    private static final long BOUND_OF_EQUAL = 100_000;
    private static final long BOUND_OF_EACH_DIFFERING_BYTE = 10;

    private final AtomicLong moved = new AtomicLong();
    private final VirtualEnvironment env = VirtualEnvironment.seeded(1, Integer.MAX_VALUE);

    /** Counts what goes over a transport, in both directions. */
    private record Counting(Transport transport, AtomicLong bytes) implements Transport {

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return transport.start(handler);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, byte[] frame, CallContext context) {
            bytes.addAndGet(frame.length);
            return transport.call(node, frame, context).thenApply(reply -> {
                bytes.addAndGet(reply.length);
                return reply;
            });
        }

        @Override
        public String name() {
            return transport.name();
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private static Entry entry(int number, long millis) {
        return Entry.value(
                Key.of(String.format(Locale.ROOT, "user:%09d", number)),
                Version.of(millis, 0),
                new byte[VALUE_BYTES],
                Entry.NEVER);
    }

    private RepairStatus repair(Cluster cluster) {
        long before = status(cluster).rounds();
        moved.set(0);
        cluster.repair(Set.of());
        env.runUntil(() -> status(cluster).rounds() > before, Duration.ofHours(10));
        return status(cluster);
    }

    private static RepairStatus status(Cluster cluster) {
        return cluster.repairStatus().toCompletableFuture().join();
    }

    @Test
    void equalReplicasCostLittleAndDifferencesLittleMore() {
        LoopbackNetwork network = LoopbackNetwork.on(env);
        Topology topology = Topology.of(Node.of("n0", "host0"), Node.of("n1", "host1"));
        List<ModelStore> stores = new ArrayList<>();
        List<Cluster> nodes = new ArrayList<>();
        for (Node node : topology.nodes()) {
            ModelStore store = new ModelStore();
            for (int i = 0; i < ENTRIES; i++) {
                store.apply(List.of(entry(i, VirtualEnvironment.START_MILLIS)));
            }
            stores.add(store);
            nodes.add(ClusterBuilder.of(node.id(), topology)
                    .transport(new Counting(network.transport(node.address()), moved))
                    .store(store)
                    .environment(env.newNode())
                    .replicationFactor(2)
                    .handoff(HintedHandoff.off())
                    .repair(Repair.off())
                    .drainTimeout(Duration.ZERO)
                    .start());
        }

        RepairStatus equal = repair(nodes.get(0));
        long ofEqual = moved.get();
        assertThat(equal.sent() + equal.received()).isZero();
        assertThat(ofEqual).isLessThan(BOUND_OF_EQUAL);

        long differing = 0;
        for (int i = 0; i < DIFFERENCES; i++) {
            Entry newer = entry(i * (ENTRIES / DIFFERENCES), VirtualEnvironment.START_MILLIS + 1);
            stores.get(i % 2).apply(List.of(newer));
            differing += newer.key().length() + newer.value().length;
        }
        RepairStatus repaired = repair(nodes.get(0));
        long ofDifferences = moved.get();
        assertThat(repaired.sent()).isEqualTo(DIFFERENCES / 2);
        assertThat(repaired.received()).isEqualTo(DIFFERENCES / 2);
        assertThat(ofDifferences).isLessThan(BOUND_OF_EACH_DIFFERING_BYTE * differing);
        System.out.println(String.format(
                Locale.ROOT,
                "%d entries: %d bytes to compare equal replicas, %d bytes for %d differences of %d bytes",
                ENTRIES,
                ofEqual,
                ofDifferences,
                DIFFERENCES,
                differing));
        nodes.forEach(Cluster::close);
    }
}
