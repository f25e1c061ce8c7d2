package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.PARTITIONS;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The replication factor is raised while the cluster serves: whole clusters in virtual time. */
@Tag("jdk")
class GrowingReplicasTest {

    /** One node has formed the cluster, and two others have joined and serve. */
    private static DrivenCluster threeOfOne() {
        DrivenCluster cluster = new DrivenCluster(1);
        cluster.join(0, 1);
        cluster.join(0, 2);
        cluster.awaitServing(0, 1);
        cluster.awaitServing(0, 2);
        cluster.await(0, state -> state.members().voters().size() == 3);
        return cluster;
    }

    private static void raise(DrivenCluster cluster, int at, int replicas) {
        cluster.change(at, state -> new Command.SetReplicationFactor(state.epoch(), replicas));
    }

    /** Starts a node on its data. */
    private static void restart(DrivenCluster cluster, int i) {
        if (i == 0) {
            cluster.nodes.bootstrap(0, list(0));
        } else {
            cluster.nodes.join(i, list(0, 3 - i));
        }
        cluster.nodes.cluster(i);
    }

    private static boolean isFull(ClusterState state) {
        return !state.slots().hasVacant() && state.batches().isEmpty();
    }

    private static int mostSlots(ClusterState state) {
        int most = 0;
        for (int partition = 0; partition < state.partitions(); partition++) {
            most = Math.max(most, state.width(partition));
        }
        return most;
    }

    @Test
    void oneNodeBecomesThreeReplicasUnderWritesAndLosesADisk() {
        try (DrivenCluster cluster = threeOfOne()) {
            raise(cluster, 1, 3);
            for (int write = 0; !isFull(cluster.nodes.state(0)); write++) {
                assertThat(write).isLessThan(2_000);
                cluster.nodes.put(write % 3, "during" + write % 50, "round" + write);
                assertThat(cluster.nodes.get((write + 1) % 3, "during" + write % 50))
                        .isEqualTo("round" + write);
                cluster.nodes.env.advance(Duration.ofMillis(200));
            }
            assertThat(cluster.nodes.state(0).loads()).containsExactly(0, PARTITIONS, PARTITIONS, PARTITIONS);

            // Nobody has read the keys before, so no read has repaired what a copy may have missed.
            cluster.nodes.crash(0);
            cluster.assertData(1, 2);
            cluster.nodes.put(1, "after", "crash");
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(1, state -> new Command.MarkDead(state.epoch(), 1, false));
            cluster.nodes.replaceDisk(0);
            cluster.nodes.join(0, list(1, 2));
            cluster.nodes.cluster(0);
            cluster.awaitServing(1, 0);
            cluster.assertData(0, 1, 2);
            assertThat(cluster.nodes.get(0, "after")).isEqualTo("crash");
            assertThat(cluster.nodes.state(1).loads()[4]).isEqualTo(PARTITIONS);
        }
    }

    @Test
    void replicasAreAddedWhereverTheDriverDies() {
        boolean more = true;
        for (int commands = 1; more; commands++) {
            try (DrivenCluster cluster = threeOfOne()) {
                raise(cluster, 0, 3);
                long epoch = cluster.nodes.state(0).epoch() + commands;
                int leader = cluster.leader();
                cluster.await(leader, state -> state.epoch() >= epoch || isFull(state));
                more = !isFull(cluster.nodes.state(leader));
                cluster.nodes.crash(leader);
                cluster.nodes.env.advance(Duration.ofSeconds(20));
                restart(cluster, leader);
                int other = (leader + 1) % 3;
                cluster.await(other, GrowingReplicasTest::isFull);
                cluster.assertData(other, leader);
            }
        }
    }

    @Test
    void growthContinuesAfterOwnerOrHeirRestarts() {
        for (boolean heir : new boolean[] {false, true}) {
            try (DrivenCluster cluster = threeOfOne()) {
                for (int i = 0; i < 3; i++) {
                    cluster.hold(i);
                }
                raise(cluster, 0, 2);
                Batch batch = cluster.awaitBatch(0, Phase.GROW);
                int struck = (heir ? batch.to() : batch.from()) - 1;
                int other = (struck + 1) % 3;
                cluster.nodes.crash(struck);
                cluster.nodes.env.advance(Duration.ofSeconds(20));
                restart(cluster, struck);
                for (int i = 0; i < 3; i++) {
                    cluster.release(i);
                }
                cluster.await(other, GrowingReplicasTest::isFull);
                cluster.assertData(struck, other);
            }
        }
    }

    @Test
    void cancelledCopiesLeaveNothingBehindAndBeginAgain() {
        try (DrivenCluster cluster = threeOfOne()) {
            for (int i = 0; i < 3; i++) {
                cluster.hold(i);
            }
            raise(cluster, 0, 2);
            cluster.awaitBatch(0, Phase.GROW);
            cluster.nodes.env.advance(Duration.ofSeconds(20));
            cluster.pauseMoves(0, true);
            for (Batch each : cluster.nodes.state(0).batches()) {
                cluster.change(0, state -> new Command.AbortBatch(state.epoch(), each.id()));
            }
            assertThat(mostSlots(cluster.nodes.state(0))).isEqualTo(1);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            cluster.assertData(0, 1, 2);
            for (int i = 0; i < 3; i++) {
                cluster.release(i);
            }
            cluster.pauseMoves(0, false);
            cluster.await(0, GrowingReplicasTest::isFull);
            cluster.assertData(0, 1, 2);
        }
    }

    @Test
    void secondReplicaWaitsUntilSnapshotsOfTheFirstHaveEnded() {
        try (DrivenCluster cluster = threeOfOne()) {
            Cluster any = cluster.nodes.cluster(1);
            Version snapshot = cluster.nodes
                    .env
                    .await(any.openSnapshot(Duration.ofMinutes(9), CallOptions.defaults()), BOUND)
                    .version();
            raise(cluster, 0, 2);
            cluster.nodes.env.advance(Duration.ofMinutes(4));
            List<KeyValue> entries = new ArrayList<>();
            cluster.nodes.env.await(
                    any.snapshot(snapshot)
                            .scan(KeyRange.all(), CallOptions.defaults())
                            .forEach(entries::add),
                    BOUND);
            assertThat(entries).hasSize(DrivenCluster.KEYS);
            cluster.nodes.env.await(any.snapshot(snapshot).close(CallOptions.defaults()), BOUND);
            cluster.await(0, GrowingReplicasTest::isFull);
        }
    }

    @Test
    void thirdReplicaWaitsUntilAllNodesOfTheRowKnowTheSecond() {
        try (DrivenCluster cluster = threeOfOne()) {
            raise(cluster, 0, 2);
            cluster.await(0, GrowingReplicasTest::isFull);
            // Whoever leads stays, and the voters keep a majority.
            int down = (cluster.leader() + 1) % 3;
            int up = (down + 1) % 3;
            cluster.nodes.crash(down);
            raise(cluster, up, 3);
            cluster.nodes.env.advance(Duration.ofMinutes(3));
            ClusterState waiting = cluster.nodes.state(up);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(waiting.width(partition))
                        .as("slots of partition %d", partition)
                        .isEqualTo(2);
            }
            restart(cluster, down);
            cluster.await(up, GrowingReplicasTest::isFull);
            cluster.assertData(0, 1, 2);
        }
    }

    /** Each growth adds one node that has a write, so that two growths leave a majority of them. */
    @Test
    void writeOfTwoOfThreeIsReadFromThreeOfFive() {
        UnaryOperator<ClusterBuilder> options = builder -> builder.partitions(1)
                .replicationFactor(3)
                .handoff(HintedHandoff.off())
                .repair(Repair.off());
        try (DrivenCluster cluster = new DrivenCluster(5, options)) {
            List<Integer> row = cluster.nodes.state(0).row(0).stream()
                    .map(slot -> slot.owner() - 1)
                    .toList();
            cluster.nodes.crash(row.get(2));
            cluster.nodes.put(row.get(0), "part", "of two");
            cluster.nodes.bootstrap(row.get(2), list(0, 1, 2, 3, 4), options);
            cluster.nodes.cluster(row.get(2));
            raise(cluster, row.get(0), 5);
            cluster.await(row.get(0), GrowingReplicasTest::isFull);
            cluster.nodes.env.advance(Duration.ofSeconds(5));
            cluster.nodes.crash(row.get(0));
            cluster.nodes.crash(row.get(1));
            assertThat(cluster.nodes.get(row.get(2), "part")).isEqualTo("of two");
        }
    }

    @Test
    void moreReplicasThanNodesAreRefused() {
        try (DrivenCluster cluster = threeOfOne()) {
            assertThat(cluster.refusal(1, state -> new Command.SetReplicationFactor(state.epoch(), 4)))
                    .contains("4 replicas need 4 nodes, and the cluster has 3");
            raise(cluster, 0, 3);
            cluster.await(0, GrowingReplicasTest::isFull);
            assertThat(cluster.refusal(2, state -> new Command.SetReplicationFactor(state.epoch(), 1)))
                    .contains("can be raised and not lowered");
            assertThat(cluster.nodes.state(0).replicationFactor()).isEqualTo(3);
        }
    }
}
