package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Ordering;
import io.dht4j.ReplicationPolicy;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.cluster.SimulatedCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls while the replication factor is raised: the key of partition 0 has the replica 0 alone and then also 1 and 2;
 * partition 1 has the replicas 1, 2 and 3.
 */
class RowsOfDifferentWidthTest {

    private static final int NARROW = 0;
    private static final int WIDE = 1;
    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final CallOptions DEFAULTS = CallOptions.defaults();

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key narrow = agreed.key(NARROW);
    private final Key wide = agreed.key(WIDE);

    private void narrow() {
        agreed.change(NARROW, 0);
        agreed.installAtAll();
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void batchTakesTheMajorityOfTheReplicasOfEachKey(Ordering ordering) {
        CallOptions options = DEFAULTS.withOrdering(ordering);
        try (agreed) {
            narrow();
            agreed.refuse(2);
            cluster.await(agreed.coordinator().putAll(Map.of(narrow, NEW, wide, NEW), options));
            assertThat(agreed.holds(0, narrow, NEW)).isTrue();
            assertThat(agreed.holds(1, narrow, NEW)).isFalse();
            assertThat(agreed.holds(1, wide, NEW)).isTrue();
            assertThat(agreed.holds(3, wide, NEW)).isTrue();
            assertThat(cluster.await(agreed.coordinator().getAll(List.of(narrow, wide), options)))
                    .hasSize(2);
            agreed.refuse(3);
            assertThat(cluster.failureOf(agreed.coordinator().putAll(Map.of(narrow, OLD, wide, OLD), options))
                            .code())
                    .isIn(ErrorCode.WRITE_INDETERMINATE, ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(cluster.failureOf(agreed.coordinator().getAll(List.of(narrow, wide), options))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            cluster.await(agreed.coordinator().put(narrow, NEW, options));
        }
    }

    @Test
    void replannedWriteNeedsTheNewMajority() {
        try (agreed) {
            narrow();
            agreed.changeBehindTheCoordinator(NARROW, 0, 1);
            cluster.await(agreed.coordinator().put(narrow, NEW, DEFAULTS));
            assertThat(agreed.holds(0, narrow, NEW)).isTrue();
            assertThat(agreed.holds(1, narrow, NEW)).isTrue();
        }
    }

    @Test
    void replannedWriteFailsWithoutTheNewMajority() {
        try (agreed) {
            narrow();
            agreed.changeBehindTheCoordinator(NARROW, 0, 1);
            agreed.refuse(1);
            assertThat(cluster.failureOf(agreed.coordinator().put(narrow, NEW, DEFAULTS))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
        }
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void replannedReadAsksTheNewMajority(Ordering ordering) {
        try (agreed) {
            narrow();
            cluster.await(agreed.coordinator().put(narrow, OLD, DEFAULTS));
            agreed.changeBehindTheCoordinator(NARROW, 0, 1);
            agreed.apply(narrow, NEW, 1);
            assertThat(cluster.await(agreed.coordinator().get(narrow, DEFAULTS.withOrdering(ordering)))
                            .map(Value::bytes))
                    .hasValue(NEW);
        }
    }

    @Test
    void replannedVersionQueryAsksTheNewMajority() {
        try (agreed) {
            narrow();
            agreed.changeBehindTheCoordinator(NARROW, 0, 1);
            // Only a linearizable write that has asked the new replica is above what that one holds.
            Version held = agreed.apply(narrow, OLD, 1);
            agreed.stores.get(1).gets.set(0);
            assertThat(cluster.await(
                            agreed.coordinator().put(narrow, NEW, DEFAULTS.withOrdering(Ordering.LINEARIZABLE))))
                    .isGreaterThan(held);
        }
    }

    @Test
    void lastSlotCountsWithItsHeirWhileTheRowGrows() {
        try (agreed) {
            narrow();
            agreed.move(NARROW, 0, Phase.GROW, 1);
            agreed.installAtAll();
            cluster.await(agreed.coordinator().put(narrow, NEW, DEFAULTS));
            assertThat(agreed.holds(0, narrow, NEW)).isTrue();
            assertThat(agreed.holds(1, narrow, NEW)).isTrue();
            agreed.refuse(1);
            assertThat(cluster.failureOf(agreed.coordinator().put(narrow, OLD, DEFAULTS))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            agreed.link(COORDINATOR).heal();
            agreed.refuse(0);
            assertThat(cluster.failureOf(agreed.coordinator().get(narrow, DEFAULTS))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    @Test
    void scanReadsTheMajorityOfEachPartition() {
        try (agreed) {
            IntStream.range(0, AgreedCluster.PARTITIONS).forEach(partition -> agreed.change(partition, 0));
            agreed.change(WIDE, 1, 2, 3);
            agreed.installAtAll();
            cluster.await(agreed.coordinator().putAll(Map.of(narrow, NEW, wide, NEW), DEFAULTS));
            agreed.apply(wide, OLD, 2);
            agreed.refuse(1);
            assertThat(
                            cluster
                                    .await(agreed.coordinator()
                                            .scan(KeyRange.all(), ScanScope.CLUSTER, DEFAULTS)
                                            .next())
                                    .stream()
                                    .map(KeyValue::key))
                    .containsExactlyInAnyOrder(narrow, wide);
            agreed.refuse(1, 2);
            assertThat(cluster.failureOf(agreed.coordinator()
                                    .scan(KeyRange.all(), ScanScope.CLUSTER, DEFAULTS)
                                    .next())
                            .getMessage())
                    .contains("1 of 2 needed replicas answer for partition " + WIDE);
            assertThat(cluster.failureOf(agreed.coordinator().openSnapshot(Duration.ofMinutes(1), DEFAULTS))
                            .getMessage())
                    .contains("1 of 2 needed replicas take part for partition " + WIDE);
            agreed.link(COORDINATOR).heal();
            agreed.refuse(1);
            Version snapshot = cluster.await(agreed.coordinator().openSnapshot(Duration.ofMinutes(1), DEFAULTS))
                    .version();
            assertThat(cluster.await(agreed.coordinator()
                            .snapshot(snapshot)
                            .scan(KeyRange.all(), DEFAULTS)
                            .next()))
                    .hasSize(2);
        }
    }

    @Test
    void policyMayNotExceedTheNarrowestPartition() {
        try (agreed) {
            narrow();
            agreed.change(NARROW, 0, 1);
            agreed.installAtAll();
            assertThat(agreed.coordinator().defaultPolicy()).isEqualTo(new ReplicationPolicy(2, 2));
            assertThat(cluster.await(agreed.coordinator().operations().status()).replicationFactor())
                    .isEqualTo(2);
            DhtException failure = cluster.failureOf(agreed.coordinator().put(wide, NEW, DEFAULTS.withPolicy(2, 3)));
            assertThat(failure.code()).isEqualTo(ErrorCode.POLICY_INVALID);
            assertThat(failure.getMessage())
                    .contains("from <= 2 (the number of replicas of a key)")
                    .contains("more replicas are being made");
            cluster.await(agreed.coordinator().put(wide, NEW, DEFAULTS.withPolicy(2, 2)));
            assertThat(agreed.holds(3, wide, NEW)).isFalse();
        }
    }

    @Test
    void repairComparesAllReplicasOfEachPartition() {
        try (agreed) {
            narrow();
            agreed.apply(narrow, NEW, 0);
            agreed.apply(wide, NEW, 3);
            agreed.repair(1, WIDE);
            assertThat(agreed.holds(1, wide, NEW)).isTrue();
            assertThat(agreed.holds(2, wide, NEW)).isTrue();
            assertThat(agreed.holds(1, narrow, NEW)).isFalse();
            agreed.change(NARROW, 0, 1);
            agreed.installAtAll();
            agreed.repair(0, NARROW);
            assertThat(agreed.holds(1, narrow, NEW)).isTrue();
            assertThat(agreed.holds(2, narrow, NEW)).isFalse();
        }
    }
}
