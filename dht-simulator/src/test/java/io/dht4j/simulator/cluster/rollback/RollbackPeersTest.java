package io.dht4j.simulator.cluster.rollback;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.ALL;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.BACK;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.DELETED;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.LONG;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.LONG_AGO;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.OWN;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.PARTITIONS;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.QUORUM;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.RefillStatus;
import io.dht4j.spi.RefillMarker;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk was rolled back, and a peer is not as it should be either: it was rolled back too, is being rebuilt, or has
 * not heard of a purge; or all of them are in the middle of a round.
 */
class RollbackPeersTest {

    private static List<Key> keys(String name) {
        return IntStream.range(0, 200).mapToObj(i -> Key.of(name + "-" + i)).toList();
    }

    @Test
    void rolledBackReplicasNeitherWaitForNorBelieveEachOther() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            ModelStore first = cluster.image(1);
            cluster.put("deleted too", "v", ALL);
            ModelStore second = cluster.image(2);
            cluster.await(cluster.node(0).delete(Key.of("deleted too"), ALL));
            cluster.deleteAndForget();

            cluster.stop(1);
            cluster.stop(2);
            cluster.startNode(1, first);
            cluster.startNode(2, second);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(cluster.refill(1).partitions()).isEqualTo(PARTITIONS);
            assertThat(cluster.refill(2).partitions()).isEqualTo(PARTITIONS);
            cluster.links.get(1).toward(id(0), Fault.refuse());
            cluster.await(cluster.node(1).put(Key.of("written"), bytes("v"), OWN));
            cluster.heal();

            cluster.assertNeverShownUntilRefilled(DELETED, 1);
            cluster.awaitRefilled(2);
            cluster.assertNobodyShows(DELETED);
            cluster.assertNobodyShows(Key.of("deleted too"));
            cluster.towardNode(0, Fault.refuse());
            assertThat(cluster.read(1, "written", QUORUM)).contains("v");
            cluster.heal();
            cluster.assertAllEqual();
        }
    }

    @Test
    void newestOfAllRolledBackNodesIsBelieved() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            ModelStore first = cluster.image(0);
            ModelStore second = cluster.image(1);
            cluster.deleteAndForget();
            cluster.put("deleted later", "v", ALL);
            ModelStore third = cluster.image(2);
            cluster.await(cluster.node(0).delete(Key.of("deleted later"), ALL));
            cluster.ageAndRepair();

            for (int node = 0; node < 3; node++) {
                cluster.stop(node);
            }
            cluster.startNode(2, third);
            cluster.startNode(0, first);
            cluster.startNode(1, second);

            cluster.assertNeverShownUntilRefilled(DELETED, 0);
            cluster.awaitRefilled(1);
            assertThat(cluster.refill(2)).isEqualTo(RefillStatus.NONE);
            // Nobody is left who knows of that.
            assertThat(cluster.read(0, "deleted later", ALL)).contains("v");
            cluster.assertAllEqual();
        }
    }

    @Test
    void allThatWereRolledBackTogetherServeWhatTheyHave() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            List<ModelStore> images = cluster.images();
            cluster.deleteAndForget();

            cluster.restartAll(images);
            cluster.env.advance(Duration.ofMillis(50));

            assertThat(cluster.read(0, "deleted", ALL)).contains("v");
            assertThat(cluster.refill(0)).isEqualTo(RefillStatus.NONE);
        }
    }

    @Test
    void rolledBackReplicaDoesNotDeleteWhatAnotherOneLacks() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            int count = 300;
            cluster.putMany("kept-", count);
            ModelStore older = cluster.image(1);
            cluster.putMany("added-", count);
            cluster.ageAndRepair();
            // This one knows of a purge, the other one does not.
            ModelStore newer = cluster.image(2);
            cluster.ageAndRepair();
            cluster.stop(1);
            cluster.stop(2);
            cluster.startNode(2, newer);
            cluster.startNode(1, older);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(cluster.refill(1).partitions()).isEqualTo(PARTITIONS);
            assertThat(cluster.refill(2).partitions()).isEqualTo(PARTITIONS);

            cluster.awaitRefilled(1);
            cluster.awaitRefilled(2);
            cluster.repairAll();

            cluster.assertAllShow("kept-", count);
            cluster.assertAllShow("added-", count);
        }
    }

    @Test
    void lateParticipantKeepsEntriesThatARolledBackNodeLacks() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            int count = 300;
            cluster.putMany("kept-", count);
            cluster.ageAndRepair();
            ModelStore image = cluster.image(BACK);
            ModelStore unaware = cluster.image(2);
            cluster.putMany("added-", count);
            cluster.ageAndRepair();
            // Node 2 has agreed to the watermark, and has not learned that all others have.
            ModelStore agreed = cluster.image(2);
            byte[] fence = agreed.note("fence").orElseThrow();
            System.arraycopy(
                    unaware.note("fence").orElseThrow(), fence.length / 2, fence, fence.length / 2, fence.length / 2);
            agreed.keepNote("fence", fence);
            ModelStore knowing = cluster.image(0);
            cluster.stop(2);
            cluster.rollBackNoticed(BACK, image);
            cluster.stop(0);
            cluster.startNode(2, agreed);
            cluster.await(cluster.node(2).operations().repair(Set.of()));
            cluster.env.advance(LONG);

            cluster.startNode(0, knowing);
            cluster.awaitRefilled(BACK);
            cluster.repairAll();

            cluster.assertAllShow("kept-", count);
            cluster.assertAllShow("added-", count);
        }
    }

    @Test
    void rolledBackAndRebuiltNodesDoNotDeadlock() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("kept", "v", ALL);
            ModelStore image = cluster.imageBeforeDeletion();
            cluster.stop(2);
            cluster.rollBackNoticed(BACK, image);

            cluster.startWith(builder -> builder.refill(RefillMarker.everything()));
            cluster.startNode(2, new ModelStore());

            cluster.assertNeverShownUntilRefilled(DELETED, BACK);
            cluster.awaitRefilled(2);
            cluster.assertNobodyShows(DELETED);
            assertThat(cluster.read(2, "kept", OWN)).contains("v");
            assertThat(cluster.read(BACK, "kept", OWN)).contains("v");
        }
    }

    /** The second half of the file holds the watermarks on which all have agreed. */
    private static boolean allHaveAgreed(byte[] fence) {
        return ByteBuffer.wrap(fence, fence.length / 2, fence.length / 2).getLong() != 0;
    }

    @Test
    void rolledBackNodeLearnsOfAPurgeFromOneThatIsCatchingUp() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            ModelStore first = cluster.image(0);
            ModelStore image = cluster.image(BACK);
            cluster.await(cluster.node(0).delete(DELETED, ALL));
            cluster.env.advance(LONG_AGO);
            // All agree, and node 2 never hears that all have.
            cluster.rollBack(0, new FenceStore(cluster.image(0), fence -> {
                if (allHaveAgreed(fence)) {
                    cluster.links.get(0).toward(id(2), Fault.refuse());
                }
            }));
            cluster.env.advance(Duration.ofSeconds(10));
            cluster.await(cluster.node(0).operations().repair(Set.of()));
            cluster.env.runUntil(() -> cluster.rounds(0) > 0, LONG);
            assertThat(cluster.stores.get(0).get(DELETED)).isEmpty();
            assertThat(cluster.stores.get(2).get(DELETED))
                    .hasValueSatisfying(entry -> assertThat(entry.isTombstone()).isTrue());
            cluster.startCutOff(true);
            cluster.rollBack(BACK, image);
            cluster.links.get(BACK).toward(id(0), Fault.none());
            cluster.env.advance(Duration.ofSeconds(20));
            assertThat(cluster.refill(BACK).partitions()).isEqualTo(PARTITIONS);
            cluster.startCutOff(false);

            cluster.rollBack(0, first);

            cluster.assertNeverShownUntilRefilled(DELETED, 0);
            cluster.heal();
            cluster.awaitRefilled(BACK);
            cluster.assertNobodyShows(DELETED);
            cluster.assertAllEqual();
        }
    }

    /** Of two nodes the one that loses its disk must be the second of the round; which that is, the placement says. */
    @ParameterizedTest
    @ValueSource(ints = {0, BACK})
    void diskLostDuringARepairSessionDeletesNothing(int lost) {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            List<Key> kept = keys("kept");
            kept.forEach(key -> cluster.await(cluster.node(0).put(key, bytes("v"), ALL)));
            cluster.deleteAndForget();
            cluster.towardNode(0, Fault.refuse());
            cluster.towardNode(BACK, Fault.refuse());
            keys("late").forEach(key -> cluster.await(cluster.node(2).put(key, bytes("v"), OWN)));
            cluster.heal();

            // The round has looked at both, and now waits to see whether the first really lacks what was late.
            long before = cluster.rounds(2);
            cluster.await(cluster.node(2).operations().repair(Set.of()));
            cluster.env.advance(Duration.ofMillis(300));
            assertThat(cluster.rounds(2)).isEqualTo(before);
            cluster.startCutOff(true);
            cluster.rollBack(lost, new ModelStore());
            cluster.env.runUntil(() -> cluster.rounds(2) > before, Duration.ofMinutes(10));

            for (int node : new int[] {BACK - lost, 2}) {
                assertThat(kept)
                        .as("n%s", node)
                        .allSatisfy(key -> assertThat(cluster.stores.get(node).get(key))
                                .hasValueSatisfying(
                                        entry -> assertThat(entry.isTombstone()).isFalse()));
            }
            cluster.heal();
            cluster.awaitRefilled(lost);
            cluster.assertAllEqual();
            assertThat(kept)
                    .allSatisfy(
                            key -> assertThat(cluster.await(cluster.node(lost).get(key, ALL)))
                                    .isPresent());
        }
    }
}
