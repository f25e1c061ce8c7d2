package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.NodeId;
import io.dht4j.Ordering;
import io.dht4j.RefillStatus;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Node 2 loses everything and gets it back. There are neither hints nor background repair, so that what it gets, it
 * gets by that.
 */
class RefillTest {

    private static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final int LOST = 2;
    private static final Duration LONG = Duration.ofMinutes(1);

    /** What a file beside the store would remember. */
    private static final class KeptMarker implements RefillMarker {
        private Optional<BitSet> pending = Optional.empty();
        private boolean broken;

        @Override
        public BitSet pending(int partitions) {
            return (BitSet) pending.orElseGet(() -> RefillMarker.everything().pending(partitions))
                    .clone();
        }

        @Override
        public void keep(BitSet left) {
            if (broken) {
                throw new StoreException("disk full");
            }
            pending = Optional.of((BitSet) left.clone());
        }
    }

    private final KeptMarker marker = new KeptMarker();
    private boolean lost;
    private NodeId[] without = {};

    private SimulatedCluster start() {
        return SimulatedCluster.of(1, 3).options(this::options).start();
    }

    private ClusterBuilder options(int node, ClusterBuilder builder) {
        builder.handoff(HintedHandoff.off()).repair(Repair.off());
        return lost && node == LOST ? builder.refill(marker, without) : builder;
    }

    /** Node 2 starts again with nothing. */
    private void lose(SimulatedCluster cluster) {
        lost = true;
        cluster.stop(LOST);
        cluster.startNode(LOST, new ModelStore());
    }

    /** Acknowledged by node 2 and one other. */
    private static void putWithout(SimulatedCluster cluster, int absent, Key key, String value) {
        cluster.towardNode(absent, Fault.refuse());
        cluster.await(cluster.node(LOST).put(key, bytes(value), TWO));
        cluster.heal();
    }

    private static RefillStatus refill(SimulatedCluster cluster) {
        return cluster.await(cluster.node(LOST).operations().status()).refill();
    }

    private static void awaitRefilled(SimulatedCluster cluster) {
        for (int i = 0; i < LONG.toSeconds() && refill(cluster).partitions() > 0; i++) {
            cluster.env.advance(Duration.ofSeconds(1));
        }
        assertThat(refill(cluster).partitions()).isZero();
    }

    private static Optional<String> read(SimulatedCluster cluster, int at, Key key, CallOptions options) {
        return cluster.await(cluster.node(at).get(key, options)).map(Value::text);
    }

    @Test
    void refillCollectsEntriesOfEachReplica() {
        try (SimulatedCluster cluster = start()) {
            putWithout(cluster, 0, Key.of("with-1"), "a");
            putWithout(cluster, 1, Key.of("with-0"), "b");
            Key deleted = Key.of("deleted");
            cluster.await(cluster.node(0).put(deleted, bytes("c"), ALL));
            cluster.towardNode(0, Fault.refuse());
            cluster.await(cluster.node(LOST).delete(deleted, TWO));
            cluster.heal();
            cluster.await(cluster.node(0).put(Key.of("expiring"), bytes("d"), ALL.withTimeToLive(Duration.ofHours(1))));

            lose(cluster);
            cluster.env.advance(Duration.ofSeconds(1));

            assertThat(refill(cluster).partitions()).isZero();
            for (String held : List.of("with-1", "deleted")) {
                assertThat(cluster.stores.get(LOST).get(Key.of(held)))
                        .isPresent()
                        .isEqualTo(cluster.stores.get(1).get(Key.of(held)));
            }
            for (String held : List.of("with-0", "expiring")) {
                assertThat(cluster.stores.get(LOST).get(Key.of(held)))
                        .isPresent()
                        .isEqualTo(cluster.stores.get(0).get(Key.of(held)));
            }
        }
    }

    @Test
    void refillingReplicaIsNotCountedForReads() {
        try (SimulatedCluster cluster = start()) {
            Key key = Key.of("key");
            putWithout(cluster, 0, key, "acknowledged by n1 and n2");
            cluster.towardNode(1, Fault.refuse());
            lose(cluster);
            // Nodes 0 and 2 answer, and know nothing of it: a quorum of them would be a lie.
            cluster.links.get(LOST).toward(id(1), Fault.refuse());
            cluster.env.advance(LONG);

            for (int node : List.of(0, LOST)) {
                cluster.links.get(node).toward(id(1), Fault.refuse());
                assertThat(cluster.failureOf(cluster.node(node).get(key, TWO)))
                        .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS));
            }
            assertThat(refill(cluster).waitsFor()).containsExactly(id(1));
            cluster.heal();
            cluster.links.get(LOST).toward(id(1), Fault.refuse());
            assertThat(read(cluster, 0, key, TWO)).contains("acknowledged by n1 and n2");
            assertThat(refill(cluster).partitions()).isPositive();

            cluster.heal();
            awaitRefilled(cluster);
            cluster.towardNode(1, Fault.refuse());
            assertThat(read(cluster, 0, key, TWO)).contains("acknowledged by n1 and n2");
            assertThat(read(cluster, LOST, key, TWO)).contains("acknowledged by n1 and n2");
        }
    }

    @Test
    void linearizableReadNeedsAMajorityDuringARefill() {
        try (SimulatedCluster cluster = start()) {
            marker.broken = true;
            lose(cluster);
            assertThat(refill(cluster).partitions()).isPositive();
            assertThat(cluster.failureOf(cluster.node(LOST).get(Key.of("a"), ONE.withOrdering(Ordering.LINEARIZABLE)))
                            .code())
                    .isEqualTo(ErrorCode.POLICY_INVALID);
        }
    }

    @Test
    void readDuringARefillSkipsLocalMemory() {
        try (SimulatedCluster cluster = start()) {
            Key key = Key.of("key");
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL));
            lose(cluster);

            assertThat(read(cluster, LOST, key, ONE)).contains("v");
        }
    }

    @Test
    void scansAreServedByTheOthers() {
        try (SimulatedCluster cluster = start()) {
            cluster.await(cluster.node(0).put(Key.of("key"), bytes("v"), ALL));
            lose(cluster);
            cluster.links.get(LOST).toward(id(1), Fault.delay(Duration.ofMillis(200), Duration.ZERO));

            assertThat(cluster.failureOf(cluster.node(LOST)
                            .scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                            .next()))
                    .hasMessageContaining("getting it back");
            List<KeyValue> shown =
                    cluster.drain(cluster.node(LOST).scan(KeyRange.all(), ScanScope.CLUSTER, CallOptions.defaults()));
            assertThat(shown).extracting(KeyValue::key).containsExactly(Key.of("key"));

            awaitRefilled(cluster);
            assertThat(cluster.drain(cluster.node(LOST).scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())))
                    .hasSize(1);
        }
    }

    @Test
    void writesDuringARefillSurviveIt() {
        try (SimulatedCluster cluster = start()) {
            Key key = Key.of("key");
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL));
            cluster.towardNode(1, Fault.refuse());
            lose(cluster);
            cluster.links.get(LOST).toward(id(1), Fault.refuse());
            // It cannot know whether it held anything newer, and one of the others does not know all that was written.
            DhtException failure = cluster.failureOf(cluster.node(0).put(key, bytes("perhaps"), TWO));
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(failure).hasMessageContaining("1 get back what they lost");
            cluster.await(cluster.node(0)
                    .put(key, bytes("new"), CallOptions.defaults().withPolicy(1, 3)));
            cluster.heal();
            awaitRefilled(cluster);

            assertThat(cluster.stores.get(LOST).get(key))
                    .hasValueSatisfying(entry -> assertThat(entry.value()).isEqualTo(bytes("new")));
        }
    }

    private static void fill(SimulatedCluster cluster, int keys) {
        for (int i = 0; i < keys; i++) {
            cluster.await(cluster.node(0).put(Key.of("key" + i), new byte[100], ALL));
        }
    }

    @Test
    void aPeerThatDiesInTheMiddleIsReadOnWhereItWas() {
        try (SimulatedCluster cluster = start()) {
            fill(cluster, 3000);
            lose(cluster);
            AtomicInteger calls = new AtomicInteger();
            Supplier<Fault> dies = () -> calls.incrementAndGet() < 3 ? Fault.none() : Fault.failAfterDelivery();
            cluster.links.get(LOST).toward(id(1), dies);
            cluster.env.advance(LONG);
            assertThat(refill(cluster).partitions()).isPositive();
            assertThat(cluster.stores.get(LOST).entries()).isEqualTo(3000);

            cluster.heal();
            awaitRefilled(cluster);

            // Each entry once of each of them.
            assertThat(refill(cluster).entries()).isEqualTo(6000);
        }
    }

    @Test
    void aRestartInTheMiddleDoesNotOpenWhatIsNotRefilled() {
        try (SimulatedCluster cluster = start()) {
            Key key = Key.of("key");
            putWithout(cluster, 0, key, "v");
            lose(cluster);
            cluster.links.get(LOST).toward(id(1), Fault.refuse());
            cluster.env.advance(LONG);

            cluster.restartNode(LOST);
            cluster.links.get(LOST).toward(id(1), Fault.refuse());
            cluster.links.get(0).toward(id(1), Fault.refuse());
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(cluster.failureOf(cluster.node(0).get(key, TWO)).code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);

            cluster.heal();
            awaitRefilled(cluster);
            assertThat(marker.pending(1024).isEmpty()).isTrue();
            cluster.restartNode(LOST);
            assertThat(refill(cluster)).isEqualTo(RefillStatus.NONE);
        }
    }

    @Test
    void refillSkipsExcludedNodes() {
        try (SimulatedCluster cluster = start()) {
            Key key = Key.of("key");
            putWithout(cluster, 1, key, "v");
            without = new NodeId[] {id(1)};
            cluster.towardNode(1, Fault.refuse());
            lose(cluster);
            cluster.links.get(LOST).toward(id(1), Fault.refuse());
            cluster.env.advance(LONG);

            assertThat(refill(cluster)).isEqualTo(new RefillStatus(0, 1, List.of()));
            assertThat(read(cluster, LOST, key, TWO)).contains("v");
        }
    }

    @Test
    void refillWaitsForAStoppedReplica() {
        try (SimulatedCluster cluster = start()) {
            cluster.await(cluster.node(0).put(Key.of("key"), bytes("v"), ALL));
            lose(cluster);
            cluster.stop(1);
            cluster.links.get(LOST).toward(id(1), Fault.refuse());
            cluster.env.advance(LONG);

            assertThat(refill(cluster).waitsFor()).containsExactly(id(1));
            assertThat(cluster.stores.get(LOST).entries()).isOne();
            cluster.startNode(1, new ModelStore());
        }
    }

    @Test
    void partitionStaysClosedUntilMarkedAsRefilled() {
        try (SimulatedCluster cluster = start()) {
            Key key = Key.of("key");
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL));
            marker.broken = true;
            lose(cluster);
            cluster.env.advance(LONG);
            assertThat(refill(cluster).partitions()).isEqualTo(1024);
            assertThat(refill(cluster).waitsFor()).isEmpty();

            marker.broken = false;
            awaitRefilled(cluster);
            assertThat(cluster.stores.get(LOST).get(key)).isPresent();
        }
    }

    @Test
    void partitionsOfWhichANodeIsNoReplicaNeedNoRefill() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5)
                .options((i, b) -> i == 0 && lost ? b.refill(marker) : b)
                .start()) {
            List<Key> keys =
                    IntStream.range(0, 200).mapToObj(i -> Key.of("key" + i)).toList();
            for (Key key : keys) {
                cluster.await(cluster.node(1).put(key, bytes("v"), ALL));
            }
            long before = cluster.stores.get(0).entries();
            lost = true;
            cluster.stop(0);
            cluster.startNode(0, new ModelStore());
            RefillStatus begun =
                    cluster.await(cluster.node(0).operations().status()).refill();
            cluster.env.advance(LONG);

            assertThat(begun.partitions()).isBetween(400, 800);
            assertThat(cluster.stores.get(0).entries()).isEqualTo(before).isLessThan(200);
            assertThat(cluster.await(cluster.node(0).operations().status())
                            .refill()
                            .partitions())
                    .isZero();
        }
    }

    @Test
    void onlyOtherNodesCanBeExcluded() {
        try (SimulatedCluster cluster = start()) {
            for (String name : List.of("n0", "n9")) {
                assertThatThrownBy(() -> ClusterBuilder.of("n0", cluster.topology)
                                .refill(RefillMarker.everything(), new NodeId(name)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(name);
            }
        }
    }
}
