package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Ordering;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Coordinators and replicas with different tables: the one that is behind learns of it, and nothing is done by two. */
class FencedRowsTest {

    private static final int MOVED = 0;
    private static final int FORMER = 0;
    private static final int HEIR = 3;
    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);
    private static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(MOVED);

    /** Moves a slot of a partition, of which the coordinator does not learn. */
    private void moveBehindTheCoordinator() {
        agreed.changeBehindTheCoordinator(MOVED, HEIR, 1, 2);
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void putByAnOldTableReachesOnlyTheNewReplicas(Ordering ordering) {
        try (agreed) {
            agreed.isolateReplicas();
            moveBehindTheCoordinator();
            cluster.await(agreed.coordinator().put(key, NEW, ALL.withOrdering(ordering)));
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
            assertThat(agreed.holds(1, key, NEW)).isTrue();
            assertThat(agreed.holds(2, key, NEW)).isTrue();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.stores.get(FORMER).get(key)).isEmpty();
            // At most once of each node that refuses.
            assertThat(agreed.refreshed()).containsOnly(COORDINATOR);
            assertThat(agreed.fetches).doesNotHaveDuplicates();
            assertThat(agreed.views(COORDINATOR).current().epoch()).isEqualTo(3);
        }
    }

    @Test
    void writeAcknowledgedByTheFormerRowReachesTheHeirOnly() {
        try (agreed) {
            agreed.isolateReplicas();
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.install(FORMER);
            // The other answers come first.
            agreed.link(COORDINATOR)
                    .toward(SimulatedCluster.id(FORMER), Fault.delay(Duration.ofMillis(50), Duration.ZERO));
            cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
            cluster.env.advance(Duration.ofSeconds(5));
            assertThat(agreed.refreshed()).startsWith(COORDINATOR);
            assertThat(agreed.stores.get(FORMER).get(key)).isEmpty();
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
            assertThat(cluster.await(agreed.coordinator().operations().status()).hintBytes())
                    .isZero();
        }
    }

    @Test
    void getByAnOldTableShowsWhatTheNewReplicasHold() {
        try (agreed) {
            cluster.await(agreed.coordinator().put(key, OLD, ALL));
            moveBehindTheCoordinator();
            cluster.await(cluster.node(1).put(key, NEW, ALL));
            agreed.stores.forEach(store -> store.gets.set(0));
            assertThat(cluster.await(agreed.coordinator().get(key, ONE)).map(Value::bytes))
                    .hasValue(NEW);
            assertThat(agreed.stores.get(FORMER).gets).hasValue(0);
            assertThat(agreed.holds(FORMER, key, OLD)).isTrue();
        }
    }

    @Test
    void batchesByAnOldTableReachTheCurrentReplicas() {
        try (agreed) {
            Key other = agreed.key(1);
            moveBehindTheCoordinator();
            cluster.await(agreed.coordinator().putAll(Map.of(key, NEW, other, OLD), ALL));
            assertThat(agreed.stores.get(FORMER).get(key)).isEmpty();
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
            agreed.changeBehindTheCoordinator(MOVED, FORMER, 1, 2);
            cluster.await(cluster.node(1).put(key, OLD, ALL));
            assertThat(cluster.await(agreed.coordinator().getAll(List.of(key, other), ONE))
                            .get(key)
                            .bytes())
                    .isEqualTo(OLD);
        }
    }

    @Test
    void scanByAnOldTableShowsWhatTheNewReplicasHold() {
        try (agreed) {
            cluster.await(agreed.coordinator().put(key, OLD, ALL));
            moveBehindTheCoordinator();
            cluster.await(cluster.node(1).put(key, NEW, ALL));
            assertThat(cluster.drain(agreed.coordinator().scan(KeyRange.all(), ScanScope.CLUSTER, ONE)))
                    .extracting(KeyValue::key, each -> each.value().bytes()[0])
                    .containsExactly(tuple(key, NEW[0]));
            // What a former replica still holds is not its own.
            assertThat(cluster.drain(cluster.node(FORMER).scan(KeyRange.all(), ScanScope.NODE, ONE)))
                    .isEmpty();
        }
    }

    @Test
    void snapshotIsOpenedByTheNewTable() {
        try (agreed) {
            moveBehindTheCoordinator();
            cluster.await(cluster.node(1).put(key, NEW, ALL));
            Version snapshot = cluster.await(agreed.coordinator().openSnapshot(Duration.ofMinutes(1), MAJORITY))
                    .version();
            cluster.await(cluster.node(1).put(key, OLD, ALL));
            assertThat(cluster.drain(agreed.coordinator().snapshot(snapshot).scan(KeyRange.all(), MAJORITY)))
                    .extracting(each -> each.value().bytes()[0])
                    .containsExactly(NEW[0]);
        }
    }

    @Test
    void callsRetryTheFetchOfADelayedView() {
        try (agreed) {
            CallOptions patient = ALL.withTimeout(Duration.ofSeconds(10));
            agreed.isolateReplicas();
            moveBehindTheCoordinator();
            failFetches(5);
            cluster.await(agreed.coordinator().put(key, NEW, patient));
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();

            moveBehindTheCoordinator();
            failFetches(5);
            assertThat(cluster.await(agreed.coordinator().get(key, patient)).map(Value::bytes))
                    .hasValue(NEW);

            moveBehindTheCoordinator();
            failFetches(5);
            cluster.await(agreed.coordinator().put(key, OLD, patient.withOrdering(Ordering.LINEARIZABLE)));

            moveBehindTheCoordinator();
            failFetches(5);
            assertThat(cluster.drain(agreed.coordinator().scan(KeyRange.all(), ScanScope.CLUSTER, patient)))
                    .hasSize(1);

            moveBehindTheCoordinator();
            failFetches(5);
            assertThat(cluster.await(agreed.coordinator().openSnapshot(Duration.ofMinutes(1), patient)))
                    .isNotNull();
        }
    }

    private void failFetches(int times) {
        int[] left = {times};
        agreed.mayRefresh = false;
        agreed.beforeRefresh = () -> agreed.mayRefresh = left[0]-- <= 0;
    }

    @Test
    void snapshotOpenFailsInTimeDuringAViewFetch() {
        try (agreed) {
            moveBehindTheCoordinator();
            agreed.node(COORDINATOR).refresh().from((from, known) -> new CompletableFuture<>());
            Duration begun = cluster.env.elapsed();
            Duration timeout = Duration.ofMillis(300);
            boolean failed = cluster.await(agreed.coordinator()
                    .openSnapshot(Duration.ofMinutes(1), MAJORITY.withTimeout(timeout))
                    .handle((snapshot, error) -> error != null));
            assertThat(failed).isTrue();
            assertThat(cluster.env.elapsed().minus(begun)).isLessThanOrEqualTo(timeout);
        }
    }

    @Test
    void replicaThatIsBehindLearnsTheTableAndServes() {
        try (agreed) {
            agreed.isolateReplicas();
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.install(COORDINATOR, HEIR, 2);
            cluster.await(agreed.coordinator().put(key, NEW, ALL));
            assertThat(agreed.refreshed()).containsExactly(1);
            assertThat(agreed.holds(1, key, NEW)).isTrue();
            agreed.change(MOVED, HEIR, 1, 0);
            agreed.install(COORDINATOR);
            assertThat(cluster.await(agreed.coordinator().get(key, ALL)).map(Value::bytes))
                    .hasValue(NEW);
            assertThat(agreed.refreshed()).containsExactlyInAnyOrder(1, HEIR, 1, 0);
        }
    }

    @Test
    void putRefusedByABehindReplicaWritesNothing() {
        try (agreed) {
            agreed.mayRefresh = false;
            agreed.change(MOVED, HEIR, 1, 2);
            agreed.install(COORDINATOR);
            agreed.views(1).cannotFollow("the disk is full");
            DhtException failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure)
                    .hasMessageContaining("nothing written")
                    .hasMessageContaining("of the request of 0.3, which it cannot install: the disk is full");
            assertThat(agreed.stores)
                    .allSatisfy(store -> assertThat(store.get(key)).isEmpty());
        }
    }

    @Test
    void changeOfOtherRowsDisturbsNoCalls() {
        try (agreed) {
            agreed.isolateReplicas();
            agreed.change(1, 0, 3, 2);
            agreed.install(0, 2);
            cluster.await(agreed.coordinator().put(key, NEW, ALL));
            assertThat(cluster.await(agreed.coordinator().get(key, ALL))).isPresent();
            assertThat(agreed.refreshed()).isEmpty();
        }
    }

    @Test
    void nodeThatIsNoReplicaRefusesThoughTheVersionsAreEqual() {
        try (agreed) {
            agreed.views(COORDINATOR).install(agreed.wrongView(COORDINATOR, MOVED, HEIR, 1, 2));
            DhtException failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ALONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("n3: it is no replica of partition " + MOVED);
            assertThat(cluster.failureOf(agreed.coordinator().get(key, ALONE)))
                    .hasMessageContaining("n3: it is no replica of partition " + MOVED);
            assertThat(agreed.stores.get(HEIR).get(key)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failureIsCertainOnlyIfEveryAttemptAnswered(boolean firstAttemptAnswersAll) {
        CallOptions two = CallOptions.defaults().withPolicy(1, 2);
        try (agreed) {
            agreed.link(COORDINATOR)
                    .toward(
                            SimulatedCluster.id(1),
                            firstAttemptAnswersAll
                                    ? Fault.refuse()
                                    : Fault.delay(Duration.ofMillis(300), Duration.ZERO));
            moveBehindTheCoordinator();
            // The second attempt reaches nobody.
            agreed.beforeRefresh = () -> {
                agreed.link(COORDINATOR).toward(SimulatedCluster.id(1), Fault.refuse());
                agreed.link(COORDINATOR).toward(SimulatedCluster.id(HEIR), Fault.refuse());
            };
            DhtException failure = cluster.failureOf(agreed.coordinator().put(key, NEW, two));
            assertThat(failure.code())
                    .isEqualTo(firstAttemptAnswersAll ? ErrorCode.NOT_ENOUGH_REPLICAS : ErrorCode.WRITE_INDETERMINATE);
            assertThat(agreed.refreshed()).containsExactly(COORDINATOR);
        }
    }

    @Test
    void anOperationIsPlannedAgainOnlySoOften() {
        try (agreed) {
            moveBehindTheCoordinator();
            // The table changes again whenever the coordinator has learned of it.
            agreed.views(COORDINATOR).listen((before, now) -> moveBehindTheCoordinator());
            DhtException failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ALONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(agreed.refreshed()).containsOnly(COORDINATOR).hasSize(Replanning.MAX_PLANS);
            assertThat(agreed.stores)
                    .allSatisfy(store -> assertThat(store.get(key)).isEmpty());
        }
    }
}
