package io.dht4j.simulator.cluster.order;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Ordering;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of acknowledged writes does not depend on clocks. */
class OrderTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    /** Five nodes, of which the first one's clock is off. */
    private static SimulatedCluster skewed(Duration offset) {
        return SimulatedCluster.of(7, 5)
                .clocks(i -> i == 0 ? offset : Duration.ZERO)
                .start();
    }

    /** A key of which the first node is no replica, so that it does not hear of the writes of others. */
    private static Key foreign(SimulatedCluster cluster, int number) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> Key.of("key-" + i))
                .filter(key -> cluster.await(cluster.node(0).locate(key)).replicas().subList(0, 3).stream()
                        .noneMatch(node -> node.id().equals(id(0))))
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    /** Lets time pass while the first node learns no other clock. */
    private static void silence(SimulatedCluster cluster) {
        cluster.env.advance(Duration.ofSeconds(20));
    }

    private static Optional<String> read(SimulatedCluster cluster, int node) {
        return cluster.await(cluster.node(node).get(KEY, MAJORITY)).map(Value::text);
    }

    @ParameterizedTest
    @EnumSource
    void laggingClockStillSupersedesEarlierWrites(Ordering ordering) {
        try (SimulatedCluster cluster = skewed(Duration.ofSeconds(-50))) {
            CallOptions options = MAJORITY.withOrdering(ordering);
            for (int i = 0; i < 20; i++) {
                cluster.await(cluster.node(1 + i % 2).put(KEY, bytes("old" + i), options));
                Version behind = cluster.await(cluster.node(0).put(KEY, bytes("new" + i), options));
                assertThat(read(cluster, i % 3)).contains("new" + i);
                assertThat(cluster.await(cluster.node(1).get(KEY, ALL))
                                .orElseThrow()
                                .version())
                        .isEqualTo(behind);
            }
        }
    }

    @Test
    void aDeleteOfANodeThatIsBehindDeletes() {
        try (SimulatedCluster cluster = skewed(Duration.ofSeconds(-50))) {
            Key key = foreign(cluster, 0);
            silence(cluster);
            cluster.await(cluster.node(1).put(key, bytes("old"), ALL));
            cluster.await(cluster.node(0).delete(key, MAJORITY));
            assertThat(cluster.await(cluster.node(2).get(key, MAJORITY))).isEmpty();
        }
    }

    @Test
    void onlySupersededKeysOfABatchGetANewVersion() {
        try (SimulatedCluster cluster = skewed(Duration.ofSeconds(-50))) {
            Map<Key, byte[]> batch = new LinkedHashMap<>();
            silence(cluster);
            for (int i = 0; i < 30; i++) {
                Key key = foreign(cluster, i);
                batch.put(key, bytes("new"));
                if (i % 3 == 0) {
                    cluster.await(cluster.node(1).put(key, bytes("old"), MAJORITY));
                }
            }
            Version greatest = cluster.await(cluster.node(0).putAll(batch, MAJORITY));
            List<Version> versions = new ArrayList<>();
            for (Key key : batch.keySet()) {
                Value value = cluster.await(cluster.node(2).get(key, MAJORITY)).orElseThrow();
                assertThat(value.text()).isEqualTo("new");
                versions.add(value.version());
            }
            assertThat(versions).contains(greatest).allMatch(version -> version.compareTo(greatest) <= 0);
            assertThat(Set.copyOf(versions)).as("only those that had to be").hasSizeBetween(2, 11);
        }
    }

    @Test
    void theTimeToLiveOfASecondStampIsAsAskedFor() {
        try (SimulatedCluster cluster = skewed(Duration.ofSeconds(-50))) {
            Key key = foreign(cluster, 0);
            silence(cluster);
            Version old = cluster.await(cluster.node(1).put(key, bytes("old"), ALL));
            Version version =
                    cluster.await(cluster.node(0).put(key, bytes("new"), ALL.withTimeToLive(Duration.ofSeconds(70))));
            assertThat(version).isGreaterThan(old);
            assertThat(holder(cluster, key, 0).get(key).orElseThrow().expiresAtMillis())
                    .isEqualTo(cluster.environments.get(0).currentTimeMillis() + 70_000);
        }
    }

    @Test
    void theHintOfAStampThatWasReplacedIsDropped() {
        try (SimulatedCluster cluster = skewed(Duration.ofSeconds(-50))) {
            Key key = foreign(cluster, 0);
            int last = replica(cluster, key, 2);
            silence(cluster);
            cluster.links.get(0).toward(id(last), Fault.refuse());
            cluster.await(cluster.node(0)
                    .put(
                            foreign(cluster, 1),
                            bytes("new"),
                            CallOptions.defaults().withPolicy(1, 5)));
            cluster.env.advance(Duration.ofMillis(10));
            long ofOne = cluster.await(cluster.node(0).operations().status()).hintBytes();
            assertThat(ofOne).isPositive();
            cluster.await(cluster.node(1).put(key, bytes("old"), ALL));
            Version version = cluster.await(cluster.node(0).put(key, bytes("new"), MAJORITY));
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(cluster.await(cluster.node(0).operations().status()).hintBytes())
                    .as("one hint of each write")
                    .isBetween(2 * ofOne - 10, 2 * ofOne + 10);
            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(cluster.stores.get(last).get(key).orElseThrow().version())
                    .isEqualTo(version);
        }
    }

    private static int replica(SimulatedCluster cluster, Key key, int index) {
        return cluster.topology
                .nodes()
                .indexOf(cluster.await(cluster.node(0).locate(key)).replicas().get(index));
    }

    private static Store holder(SimulatedCluster cluster, Key key, int index) {
        return cluster.stores.get(replica(cluster, key, index));
    }

    @Test
    void writeNeedsNoSecondVersionWhileEnoughReplicasTakeIt() {
        try (SimulatedCluster cluster = skewed(Duration.ofSeconds(-50))) {
            Key key = foreign(cluster, 0);
            silence(cluster);
            Version ahead = Version.of(cluster.env.currentTimeMillis(), 0);
            holder(cluster, key, 1).apply(List.of(Entry.value(key, ahead, bytes("alone"), Entry.NEVER)));
            assertThat(cluster.await(cluster.node(0).put(key, bytes("new"), MAJORITY)))
                    .isLessThan(ahead);
        }
    }

    @Test
    void aVersionThatNoClockCanHaveShownIsNotReported() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            long future = cluster.env.currentTimeMillis() + Duration.ofHours(1).toMillis();
            cluster.stores.get(1).apply(List.of(Entry.value(KEY, Version.of(future, 0), bytes("future"), 0)));
            cluster.await(cluster.node(0).put(KEY, bytes("new"), MAJORITY));
            assertThat(read(cluster, 0)).contains("new");
            assertThat(read(cluster, 1)).as("its own answer does not count").contains("new");
            assertThat(cluster.failureOf(cluster.node(0).put(KEY, bytes("all"), ALL)))
                    .hasMessageContaining("too far ahead of their clocks");
        }
    }

    @Test
    void versionOfAWrongClockDelaysNoHints() {
        Key other = Key.of("other");
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            long ahead = cluster.env.currentTimeMillis() + 3_600_000;
            cluster.stores.get(2).apply(List.of(Entry.value(KEY, Version.of(ahead, 0), bytes("far"), Entry.NEVER)));
            cluster.links.get(0).toward(id(2), Fault.refuse());
            cluster.await(cluster.node(0).put(KEY, bytes("v"), MAJORITY));
            cluster.await(cluster.node(0).put(other, bytes("v"), MAJORITY));
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(cluster.await(cluster.node(0).operations().status()).hintBytes())
                    .isPositive();
            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(cluster.await(cluster.node(0).operations().status()).hintBytes())
                    .isZero();
            assertThat(cluster.stores.get(2).get(other)).isPresent();
        }
    }

    @Test
    void aLinearizableCallNeedsAMajority() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 4).start()) {
            CallOptions half = CallOptions.defaults().withPolicy(2, 4).withOrdering(Ordering.LINEARIZABLE);
            for (var call : List.of(
                    cluster.node(0).put(KEY, bytes("v"), half),
                    cluster.node(0).get(KEY, half),
                    cluster.node(0).delete(KEY, half),
                    cluster.node(0).getAll(List.of(KEY), half),
                    cluster.node(0).putAll(Map.of(KEY, bytes("v")), half))) {
                assertThat(cluster.failureOf(call).code()).isEqualTo(ErrorCode.POLICY_INVALID);
            }
            assertThat(cluster.failureOf(cluster.node(0)
                                    .scan(
                                            KeyRange.all(),
                                            ScanScope.CLUSTER,
                                            MAJORITY.withOrdering(Ordering.LINEARIZABLE))
                                    .next())
                            .code())
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aSilentReplicaDoesNotHoldALinearizableWriteUp(int silent) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, builder) -> builder.ordering(Ordering.LINEARIZABLE))
                .start()) {
            cluster.links.get(0).toward(id(silent), Fault.loseRequest());
            CompletableFuture<Version> put =
                    cluster.node(0).put(KEY, bytes("v"), MAJORITY).toCompletableFuture();
            cluster.env.runUntil(put::isDone, Duration.ofSeconds(4));
            assertThat(put).isCompleted();
        }
    }

    @Test
    void aLinearizableWriteThatCannotAskDoesNothing() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, builder) -> builder.ordering(Ordering.LINEARIZABLE))
                .start()) {
            cluster.links.get(0).towardAll(Fault.refuse());
            assertThat(cluster.failureOf(cluster.node(0).put(KEY, bytes("v"), MAJORITY))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(read(cluster, 1)).isEmpty();
        }
    }
}
