package io.dht4j.simulator.cluster.rollback;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.ALL;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.BACK;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.DELETED;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.LONG;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.LONG_AGO;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.MAX_VALUE_BYTES;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.OWN;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.PARTITIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Entry;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * How a node that knows that its disk was rolled back gets what it lacks from peers that are as they should be, and
 * what it does meanwhile.
 */
class RollbackCatchUpTest {

    @Test
    void rolledBackNodeKeepsWritesDuringItsRefill() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            ModelStore image = cluster.imageBeforeDeletion();
            cluster.rollBack(BACK, image);
            cluster.links.get(BACK).toward(id(2), Fault.refuse());
            cluster.env.advance(LONG);
            assertThat(cluster.refill(BACK).partitions()).isEqualTo(PARTITIONS);
            assertThat(cluster.refill(BACK).waitsFor()).containsExactly(id(2));

            cluster.await(cluster.node(BACK).put(Key.of("written"), bytes("v"), OWN));
            cluster.heal();
            cluster.awaitRefilled(BACK);

            assertThat(cluster.stores.get(BACK).get(Key.of("written"))).isPresent();
            assertThat(cluster.read(BACK, "written", OWN)).contains("v");
            cluster.assertNobodyShows(DELETED);
        }
    }

    @Test
    void catchUpSkipsExcludedNodes() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            ModelStore image = cluster.imageBeforeDeletion();
            cluster.stop(2);
            cluster.startWith(builder -> builder.refill(RefillMarker.none(), id(2)));
            cluster.rollBack(BACK, image);

            cluster.assertNeverShownUntilRefilled(DELETED, BACK);
            cluster.startWith(UnaryOperator.identity());
            cluster.startNode(2, new ModelStore());
        }
    }

    @Test
    void rolledBackNodeCatchesUpThroughSmallReplies() {
        try (RollbackCluster cluster = RollbackCluster.start(builder -> builder.maxValueBytes(1000))) {
            int count = 200;
            ModelStore image = cluster.image(BACK);
            for (int i = 0; i < count; i++) {
                cluster.put("kept-" + i, "v".repeat(600), ALL);
            }
            cluster.ageAndRepair();

            cluster.rollBackNoticed(BACK, image);
            cluster.awaitRefilled(BACK);

            cluster.assertAllShow("kept-", count);
            cluster.repairAll();
            cluster.assertAllShow("kept-", count);
        }
    }

    @Test
    void rolledBackNodeAcceptsEntriesOfAnAbortedPurge() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("kept", "v", ALL);
            cluster.ageAndRepair();
            ModelStore image = cluster.image(BACK);
            // It has agreed to a fence of a round that was cut short.
            byte[] fence = image.note("fence").orElseThrow();
            for (int i = 0; i < fence.length / 2; i++) {
                fence[fence.length / 2 + i] = 0;
            }
            image.keepNote("fence", fence);
            Entry old = Entry.value(Key.of("old"), new Version(1), bytes("v"), Entry.NEVER);
            cluster.stores.forEach(store -> store.apply(List.of(old)));
            cluster.ageAndRepair();

            cluster.rollBackNoticed(BACK, image);
            cluster.awaitRefilled(BACK);

            assertThat(cluster.stores.get(BACK).get(Key.of("old"))).contains(old);
        }
    }

    @Test
    void rolledBackPartitionIsRepairedBetweenSessionsOfOthers() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL));
            ModelStore image = cluster.image(BACK);
            cluster.env.advance(LONG_AGO);
            cluster.await(cluster.node(0)
                    .operations()
                    .repair(Set.of(cluster.await(cluster.node(0).locate(key)).partition())));
            cluster.env.runUntil(() -> cluster.rounds(0) > 0, LONG);

            cluster.startWith(builder -> builder.repair(Repair.on().withInterval(Duration.ofSeconds(10))));
            cluster.rollBack(BACK, image);
            cluster.links.get(BACK).toward(id(2), Fault.refuse());
            cluster.env.advance(LONG.multipliedBy(2));
            assertThat(cluster.refill(BACK).partitions()).isOne();
            cluster.heal();

            cluster.awaitRefilled(BACK);
        }
    }

    @Test
    void nodeReopensThoughAPeerRefusesItsEntries() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("kept", "v", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.ageAndRepair();
            // Written where larger values were allowed.
            Version now = Version.of(cluster.env.currentTimeMillis(), 0);
            image.apply(List.of(Entry.value(Key.of("large"), now, new byte[MAX_VALUE_BYTES + 1], Entry.NEVER)));

            cluster.rollBackNoticed(BACK, image);
            cluster.awaitRefilled(BACK);

            assertThat(cluster.stores.get(0).get(Key.of("large"))).isEmpty();
            assertThat(cluster.stores.get(BACK).get(Key.of("large"))).isPresent();
        }
    }

    @Test
    void nodeReopensOnceItsClockAcceptsAllEntries() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("kept", "v", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.ageAndRepair();
            Version ahead = Version.of(cluster.env.currentTimeMillis() + LONG.toMillis(), 0);
            Entry early = Entry.value(Key.of("early"), ahead, bytes("v"), Entry.NEVER);
            cluster.stores.forEach(store -> store.apply(List.of(early)));

            cluster.rollBack(BACK, image);
            cluster.env.advance(Duration.ofSeconds(50));
            assertThat(cluster.refill(BACK).partitions()).isOne();
            cluster.awaitRefilled(BACK);

            assertThat(cluster.stores.get(BACK).get(Key.of("early"))).contains(early);
        }
    }

    @Test
    void fetchedEntriesAreForcedBeforeTheWatermark() {
        try (RollbackCluster cluster = RollbackCluster.start()) {
            cluster.put("deleted", "v", ALL);
            ModelStore image = cluster.image(BACK);
            cluster.put("kept", "v", ALL);
            cluster.deleteAndForget();

            SettledStore store = new SettledStore(image);
            cluster.rollBack(BACK, store);
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(cluster.refill(BACK).partitions()).isPositive();
            cluster.awaitRefilled(BACK);

            assertThat(store.get(Key.of("kept"))).isPresent();
            assertThat(store.notedTooEarly).isFalse();
        }
    }

    /** Says whether a note was kept while something that was applied was not sure to be on the disk. */
    private static final class SettledStore extends ForwardingStore {
        private boolean settled = true;
        private boolean notedTooEarly;

        SettledStore(Store store) {
            super(store);
        }

        @Override
        public void apply(List<Entry> entries) {
            settled = false;
            super.apply(entries);
        }

        @Override
        public void settle() {
            super.settle();
            settled = true;
        }

        @Override
        public void keepNote(String name, byte[] bytes) {
            notedTooEarly |= !settled;
            super.keepNote(name, bytes);
        }
    }
}
