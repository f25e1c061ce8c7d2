package io.dht4j.simulator.cluster.rollback;

import static io.dht4j.simulator.cluster.SimulatedCluster.content;
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

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.RefillStatus;
import io.dht4j.Version;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What makes a node notice that its disk was rolled back, or replaced, and what of that is noticed late; and that an
 * ordinary restart is not taken for it.
 */
class RollbackNoticedTest {

    @Test
    void rolledBackNodeShowsNoPurgedEntry() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            cluster.put("kept", "v", ALL);
            cluster.put("changed", "old", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.put("changed", "new", ALL);
            cluster.put("added", "v", ALL);
            cluster.deleteAndForget();

            cluster.rollBack(BACK, image);

            cluster.assertNeverShownUntilRefilled(DELETED, BACK);
            for (int node = 0; node < 3; node++) {
                assertThat(cluster.read(node, "kept", ALL)).contains("v");
                assertThat(cluster.read(node, "changed", OWN)).contains("new");
                assertThat(cluster.read(node, "added", OWN)).contains("v");
            }
            assertThat(cluster.stores.get(BACK).get(Key.of("added"))).isPresent();
            cluster.assertAllEqual();
            assertThat(cluster.stores.get(BACK).get(DELETED)).isEmpty();
        }
    }

    @Test
    void aDiskThatWasRolledBackBehindItsOwnFenceIsNoticedToo() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            cluster.ageAndRepair();
            ModelStore image = cluster.image(BACK);
            cluster.deleteAndForget();

            cluster.rollBack(BACK, image);

            cluster.assertNeverShownUntilRefilled(DELETED, BACK);
            cluster.assertAllEqual();
        }
    }

    @Test
    void aDiskThatWasReplacedByAnEmptyOneIsNoticed() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            cluster.put("kept", "v", ALL);
            cluster.deleteAndForget();

            cluster.rollBackNoticed(BACK, new ModelStore());

            cluster.awaitRefilled(BACK);
            assertThat(cluster.refill(BACK).entries()).isEqualTo(1);
            assertThat(content(cluster.stores.get(BACK))).isEqualTo(content(cluster.stores.get(0)));
        }
    }

    @Test
    void restartOfOneNodeServesAtOnceWithoutRefill() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            cluster.put("kept", "v", ALL);
            cluster.deleteAndForget();

            cluster.restartNode(BACK);
            assertThat(cluster.read(BACK, "kept", QUORUM)).contains("v");
            cluster.env.advance(Duration.ofMillis(50));

            assertThat(cluster.refill(BACK)).isEqualTo(RefillStatus.NONE);
            cluster.towardNode(0, Fault.refuse());
            cluster.towardNode(2, Fault.refuse());
            assertThat(cluster.read(BACK, "kept", OWN)).contains("v");
            cluster.env.advance(LONG);
            assertThat(cluster.refill(BACK)).isEqualTo(RefillStatus.NONE);
            assertThat(cluster.rounds(BACK)).isZero();
        }
    }

    @Test
    void restartServesAtOnceWithAnotherNodeGone() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            cluster.put("kept", "v", ALL);
            cluster.deleteAndForget();
            cluster.stop(2);

            cluster.restartNode(BACK);

            assertThat(cluster.read(BACK, "kept", QUORUM)).contains("v");
            assertThat(cluster.read(0, "kept", QUORUM)).contains("v");
            assertThat(cluster.refill(BACK)).isEqualTo(RefillStatus.NONE);
            cluster.startNode(2, new ModelStore());
        }
    }

    @Test
    void restartOfAllNodesServesAtOnceWithoutRefill() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            cluster.put("kept", "v", ALL);
            cluster.deleteAndForget();
            List<ModelStore> images = cluster.images();

            cluster.restartAll(images);
            // Nobody waits for a further question: a node that starts later reports to the running ones.
            cluster.env.advance(Duration.ofMillis(50));

            for (int node = 0; node < 3; node++) {
                assertThat(cluster.read(node, "kept", ALL)).contains("v");
                assertThat(cluster.refill(node)).isEqualTo(RefillStatus.NONE);
            }
            cluster.env.advance(LONG);
            for (int node = 0; node < 3; node++) {
                assertThat(cluster.refill(node)).isEqualTo(RefillStatus.NONE);
                assertThat(cluster.rounds(node)).isZero();
            }
        }
    }

    @Test
    void rolledBackLoneNodeServesUntilDetection() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("kept", "v", ALL);
            ModelStore image = cluster.imageBeforeDeletion();
            List<ModelStore> others = List.of(cluster.image(0), cluster.image(2));
            cluster.stop(0);
            cluster.stop(2);
            cluster.rollBack(BACK, image);

            // Nobody is there who could know better.
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(cluster.read(BACK, "kept", OWN)).contains("v");
            assertThat(cluster.read(BACK, "deleted", OWN)).contains("v");

            cluster.startNode(0, others.get(0));
            cluster.env.advance(Duration.ofMillis(50));
            cluster.assertNobodyShows(DELETED);
            cluster.env.advance(LONG);
            assertThat(cluster.refill(BACK).partitions()).isPositive();
            cluster.startNode(2, others.get(1));
            cluster.assertNeverShownUntilRefilled(DELETED, BACK);
            cluster.assertAllEqual();
        }
    }

    @Test
    void silentNodesAreWaitedForAsLongAsConfigured() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("kept", "v", ALL);
            ModelStore image = cluster.imageBeforeDeletion();
            cluster.stop(BACK);
            cluster.startWith(builder -> {
                cluster.links.get(BACK).towardAll(Fault.loseReply());
                return builder.startPatience(Duration.ofSeconds(20));
            });
            cluster.startNode(BACK, image);

            assertThat(cluster.whyClosed(BACK)).contains("just started");
            cluster.env.advance(Duration.ofSeconds(18));
            assertThat(cluster.whyClosed(BACK)).contains("just started");
            cluster.env.advance(Duration.ofSeconds(3));
            assertThat(cluster.read(BACK, "kept", OWN)).contains("v");
        }
    }

    @Test
    void knowledgeOfARollbackSurvivesARestart() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("kept", "v", ALL);
            ModelStore image = cluster.imageBeforeDeletion();
            cluster.towardNode(2, Fault.refuse());
            cluster.rollBack(BACK, image);
            cluster.links.get(BACK).toward(id(2), Fault.refuse());
            cluster.env.advance(LONG);

            cluster.startCutOff(true);
            cluster.towardNode(BACK, Fault.refuse());
            cluster.restartNode(BACK);
            cluster.env.advance(LONG);

            assertThat(cluster.whyClosed(BACK)).contains("was rolled back");
            cluster.heal();
            cluster.startCutOff(false);
            cluster.awaitRefilled(BACK);
            cluster.assertNobodyShows(DELETED);
            cluster.restartNode(BACK);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(cluster.refill(BACK)).isEqualTo(RefillStatus.NONE);
        }
    }

    @Test
    void nodeLearnsOfItsRollbackFromTheNextSessionOfAnother() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            ModelStore image = cluster.imageBeforeDeletion();
            cluster.rollBackUnnoticed(BACK, image);
            cluster.await(cluster.node(0).operations().repair(Set.of()));
            cluster.env.advance(Duration.ofMillis(500));

            assertThat(cluster.refill(BACK).partitions()).isEqualTo(PARTITIONS);
            cluster.assertNobodyShows(DELETED);
            assertThat(cluster.node(0)
                            .operations()
                            .repairStatus()
                            .toCompletableFuture()
                            .join()
                            .lastError())
                    .hasValueSatisfying(
                            error -> assertThat(error).contains("n1").contains("rolled back"));
            cluster.awaitRefilled(BACK);
            cluster.assertAllEqual();
        }
    }

    @Test
    void voterRolledBackBeforeThePurgeLearnsOfItSoon() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.await(cluster.node(0).delete(DELETED, ALL));
            cluster.env.advance(LONG_AGO);
            boolean[] agreed = new boolean[1];
            cluster.rollBack(BACK, new FenceStore(cluster.image(BACK), fence -> agreed[0] = true));
            cluster.env.advance(Duration.ofSeconds(10));
            // What it answers travels for a while, so that nothing has been decided when it is back.
            cluster.links.get(0).toward(id(BACK), Fault.delay(Duration.ofMillis(1), Duration.ofSeconds(5)));
            cluster.await(cluster.node(0).operations().repair(Set.of()));
            cluster.env.runUntil(() -> agreed[0], LONG);
            cluster.rollBack(BACK, image);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(cluster.refill(BACK)).isEqualTo(RefillStatus.NONE);
            cluster.links.get(0).toward(id(BACK), Fault.refuse());
            cluster.env.runUntil(() -> cluster.rounds(0) > 0, LONG);
            assertThat(cluster.stores.get(0).get(DELETED)).isEmpty();

            cluster.heal();
            cluster.env.advance(Duration.ofSeconds(20));

            assertThat(cluster.stores.get(BACK).get(DELETED).filter(entry -> !entry.isTombstone()))
                    .isEmpty();
            cluster.assertNobodyShows(DELETED);
            cluster.assertAllEqual();
        }
    }

    @Test
    void aSnapshotThatBeganBeforeItWasNoticedIsGoneThere() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            ModelStore image = cluster.imageBeforeDeletion();
            cluster.rollBackUnnoticed(BACK, image);
            Version snapshot = cluster.await(
                            cluster.node(BACK).openSnapshot(Duration.ofMinutes(30), CallOptions.defaults()))
                    .version();
            cluster.await(cluster.node(0).operations().repair(Set.of()));
            cluster.env.advance(Duration.ofSeconds(1));
            cluster.awaitRefilled(BACK);
            cluster.towardNode(0, Fault.refuse());

            assertThat(cluster.failureOf(cluster.node(2)
                            .snapshot(snapshot)
                            .scan(KeyRange.all(), CallOptions.defaults())
                            .next()))
                    .hasMessageContaining("rolled back");
        }
    }
}
