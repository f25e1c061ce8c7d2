package io.dht4j.simulator.cluster.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.RepairStatus;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * How many bytes a repair moves. {@code -Ddht.repair.entries=1000000} makes it as large as the figures in
 * {@code docs/design/repair.md}; the bounds are the same.
 */
class RepairTrafficTest {

    private static final int ENTRIES = Integer.getInteger("dht.repair.entries", 50_000);
    private static final int DIFFERENCES = 1000;
    private static final int VALUE_BYTES = 100;
    /** 24 bytes for each of 1,024 partitions, and what else a session sends: less than half of what was meant. */
    private static final long BOUND_OF_EQUAL = 40_000;

    private static final long BOUND_OF_EACH_DIFFERING_BYTE = 10;

    private final AtomicLong moved = new AtomicLong();
    private final VirtualEnvironment env = VirtualEnvironment.seeded(1, Integer.MAX_VALUE);

    /** Counts what goes over a transport, in both directions. */
    private static final class Counting extends ForwardingTransport {

        private final AtomicLong bytes;

        Counting(Transport transport, AtomicLong bytes) {
            super(transport);
            this.bytes = bytes;
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame frame, CallContext context) {
            bytes.addAndGet(frame.length());
            return super.call(node, frame, context).thenApply(reply -> {
                bytes.addAndGet(reply.length);
                return reply;
            });
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
        cluster.operations().repair(Set.of());
        env.runUntil(() -> status(cluster).rounds() > before, Duration.ofHours(10));
        return status(cluster);
    }

    private static RepairStatus status(Cluster cluster) {
        return cluster.operations().repairStatus().toCompletableFuture().join();
    }

    /** Nodes that hold the same, and repair only on request. */
    private List<Cluster> start(int size, List<ModelStore> stores) {
        LoopbackNetwork network = LoopbackNetwork.on(env);
        Topology topology = Topology.of(IntStream.range(0, size)
                .mapToObj(i -> Node.of("n" + i, "host" + i + ":1"))
                .toArray(Node[]::new));
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
                    .replicationFactor(size)
                    .handoff(HintedHandoff.off())
                    .repair(Repair.off())
                    .drainTimeout(Duration.ZERO)
                    .start());
        }
        return nodes;
    }

    private static Entry newer(int difference) {
        return entry(difference * (ENTRIES / DIFFERENCES), VirtualEnvironment.START_MILLIS + 1);
    }

    private static void say(String what, long bytes, long differing) {
        System.out.println(String.format(
                Locale.ROOT,
                "%d entries: %d bytes for %s, %d differences of %d bytes",
                ENTRIES,
                bytes,
                what,
                DIFFERENCES,
                differing));
    }

    @Test
    void equalReplicasCostLittleAndDifferencesLittleMore() {
        List<ModelStore> stores = new ArrayList<>();
        List<Cluster> nodes = start(2, stores);

        RepairStatus equal = repair(nodes.get(0));
        long ofEqual = moved.get();
        assertThat(equal.sent() + equal.received()).isZero();
        assertThat(ofEqual).isLessThan(BOUND_OF_EQUAL);

        long differing = 0;
        for (int i = 0; i < DIFFERENCES; i++) {
            stores.get(i % 2).apply(List.of(newer(i)));
            differing += newer(i).key().length() + newer(i).value().length;
        }
        RepairStatus repaired = repair(nodes.get(0));
        long ofDifferences = moved.get();
        assertThat(repaired.sent()).isEqualTo(DIFFERENCES / 2);
        assertThat(repaired.received()).isEqualTo(DIFFERENCES / 2);
        assertThat(ofDifferences).isLessThan(BOUND_OF_EACH_DIFFERING_BYTE * differing);
        say("two replicas, equal ones of which need " + ofEqual, ofDifferences, differing);
        nodes.forEach(Cluster::close);
    }

    /** What moves when a node lacks something that all others have. */
    private long ofCatchingUp(int replicas) {
        List<ModelStore> stores = new ArrayList<>();
        List<Cluster> nodes = start(replicas, stores);
        long differing = 0;
        for (int i = 0; i < DIFFERENCES; i++) {
            for (ModelStore store : stores.subList(1, replicas)) {
                store.apply(List.of(newer(i)));
            }
            differing += newer(i).key().length() + newer(i).value().length;
        }

        RepairStatus repaired = repair(nodes.get(0));

        long bytes = moved.get();
        assertThat(repaired.received()).isEqualTo(DIFFERENCES);
        assertThat(bytes).isLessThan(BOUND_OF_EACH_DIFFERING_BYTE * differing);
        say("the one that is behind of " + replicas + " replicas", bytes, differing);
        nodes.forEach(Cluster::close);
        return bytes;
    }

    @Test
    void whoIsBehindAllOthersFetchesWhatItLacksFromOneOfThem() {
        // The others are compared as equal ones are, and looked at once more.
        assertThat(ofCatchingUp(3)).isLessThan(ofCatchingUp(2) + 2 * BOUND_OF_EQUAL);
    }
}
