package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.simulator.observation.FlightEvents;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;

/** A node takes over a slot: it has all that the owner has before it reports so. */
class SlotCopyTest extends MovingSlot {

    @Test
    void heirHasAllEntriesOfTheOwnerWhenItReportsSo() {
        List<Key> keys = agreed.keys(MOVED, 2500);
        put(keys, 1, ALL);
        move(Phase.COPY, HEIR);
        assertThat(isComplete()).isFalse();
        awaitComplete();
        assertHolds(HEIR, keys, 1);
        BatchProgress progress = agreed.node(HEIR).moves().progress().get(0);
        assertThat(progress.complete()).isEqualTo(PartitionSet.of(MOVED));
        assertThat(progress.copiedBytes()).isPositive();
        assertThat(progress.waitsFor()).isEmpty();
    }

    @Test
    void completeCopyIsAnEventOfTheFlightRecorder() throws Exception {
        put(agreed.keys(MOVED, 20), 1, ALL);
        List<RecordedEvent> events = FlightEvents.during("io.dht4j.PartitionMove", () -> {
            move(Phase.COPY, HEIR);
            awaitComplete();
        });
        assertThat(events).hasSize(1);
        RecordedEvent event = events.get(0);
        assertThat(event.getEventType().getDescription()).isNotBlank();
        assertThat(event.getString("node")).isEqualTo(SimulatedCluster.id(HEIR).value());
        assertThat(event.getString("sources"))
                .isEqualTo(SimulatedCluster.id(OWNER).value());
        assertThat(event.getInt("partitions")).isEqualTo(1);
        assertThat(event.getLong("copiedBytes")).isPositive();
        assertThat(event.getDuration("took")).isPositive();
    }

    @Test
    void fifthReplicaGetsWhatTheFourthLacks() {
        // A majority of three has acknowledged it: of five, no third one would have it.
        Key first = agreed.keys(MOVED, 20).get(19);
        agreed.stores.get(0).apply(List.of(value(first, old(5))));
        agreed.stores.get(1).apply(List.of(value(first, old(5))));
        agreed.change(MOVED, 0, 1, 2, AgreedCluster.COORDINATOR);
        agreed.move(MOVED, 3, Phase.GROW, HEIR);
        agreed.installAtAll();
        awaitComplete();
        assertThat(agreed.stores.get(HEIR).get(first)).isPresent();
    }

    @Test
    void batchIsCopiedInOnePassOverTheStoreOfTheOwner() {
        put(agreed.keys(MOVED, 50), 1, ALL);
        put(agreed.keys(4, 50), 1, ALL);
        agreed.moveAll(List.of(MOVED, 4), 0, Phase.COPY, HEIR);
        agreed.installAtAll();
        awaitComplete();
        assertThat(agreed.node(HEIR).moves().progress()).hasSize(1);
        assertThat(agreed.node(HEIR).moves().progress().get(0).complete()).isEqualTo(PartitionSet.of(MOVED, 4));
        assertHolds(HEIR, agreed.keys(4, 50), 1);
        assertThat(pagesOfOwner()).isEqualTo(1);
    }

    @Test
    void heirAsksAnOwnerWhoseAddressChangesAtTheNewOne() {
        put(agreed.keys(MOVED, 20), 1, ALL);
        agreed.address(OWNER, Optional.of("nowhere:1"));
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofMinutes(2));
        assertThat(isComplete()).isFalse();
        agreed.address(OWNER, Optional.empty());
        agreed.installAtAll();
        awaitComplete();
        assertHolds(HEIR, agreed.keys(MOVED, 20), 1);
    }

    @Test
    void formerOwnerDropsItsCopyOnceTheSlotIsTheHeirsAlone() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        put(agreed.keys(3, 20), 1, ALL);
        move(Phase.COPY, HEIR);
        awaitComplete();
        move(Phase.BOTH, HEIR);
        cluster.env.advance(Duration.ofMinutes(2));
        assertHolds(OWNER, keys, 1);
        move(Phase.STABLE, HEIR);
        cluster.env.advance(Duration.ofMinutes(2));
        assertHoldsNone(OWNER, keys);
        assertHolds(HEIR, keys, 1);
        assertHolds(OWNER, agreed.keys(3, 20), 1);
    }

    @Test
    void heirOfAnAbortedBatchDropsItsCopy() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        move(Phase.COPY, HEIR);
        awaitComplete();
        move(Phase.STABLE, OWNER);
        cluster.env.advance(Duration.ofMinutes(2));
        assertHoldsNone(HEIR, keys);
        assertHolds(OWNER, keys, 1);
        assertThat(agreed.node(HEIR).moves().progress()).isEmpty();
    }

    @Test
    void undoneBatchLeavesAllEntriesWithTheOwner() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        move(Phase.COPY, HEIR);
        awaitComplete();
        move(Phase.BOTH, HEIR);
        put(keys, 2, ALL);
        move(Phase.UNDO, HEIR);
        put(keys, 3, ALL);
        cluster.env.advance(Duration.ofSeconds(1));
        assertHolds(HEIR, keys, 3);
        move(Phase.STABLE, OWNER);
        cluster.env.advance(Duration.ofMinutes(2));
        assertHoldsNone(HEIR, keys);
        assertHolds(OWNER, keys, 3);
    }

    @Test
    void heirDropsLeftoversOfAnEarlierOwnership() {
        Key deleted = agreed.keys(MOVED, 30).get(29);
        put(agreed.keys(MOVED, 20), 1, ALL);
        agreed.stores.get(HEIR).apply(List.of(value(deleted, old(5))));
        move(Phase.COPY, HEIR);
        awaitComplete();
        for (int node : new int[] {OWNER, OTHER, THIRD, HEIR}) {
            assertHoldsNone(node, List.of(deleted));
        }
        assertHolds(HEIR, agreed.keys(MOVED, 20), 1);
    }

    @Test
    void heirShowsNothingUntilTheCopyIsComplete() {
        List<Key> keys = agreed.keys(MOVED, 3);
        put(keys, 1, ALL);
        agreed.link(HEIR).toward(SimulatedCluster.id(OWNER), Fault.loseRequest());
        move(Phase.COPY, HEIR);
        assertThat(read(keys.get(0)).toString()).contains("REPLICA_REFILLING");
        assertThat(page().toString()).contains("REPLICA_REFILLING");
        agreed.stores.get(OWNER).broken = true;
        cluster.heal();
        cluster.env.advance(Duration.ofSeconds(20));
        assertThat(isComplete()).isFalse();
        assertThat(read(keys.get(0)).toString()).contains("REPLICA_REFILLING");
        assertThat(page().toString()).contains("REPLICA_REFILLING");
        agreed.stores.get(OWNER).broken = false;
        awaitComplete();
        move(Phase.BOTH, HEIR);
        assertThat(read(keys.get(0))).isInstanceOf(Reply.Found.class);
        assertThat(page()).isInstanceOf(Reply.Page.class);
    }

    @Test
    void heirDoesNotKnowTheNewestVersionUntilItsSlotIsRead() {
        Key key = agreed.key(MOVED);
        Version version = old(0);
        move(Phase.COPY, HEIR);
        awaitComplete();
        assertThat(write(value(key, version)))
                .isEqualTo(new Reply.Applied(List.of(new Reply.Newer(0, Reply.Newer.UNKNOWN))));
        move(Phase.BOTH, HEIR);
        assertThat(write(value(key, version))).isEqualTo(Reply.Applied.AS_NEWEST);
    }

    @Test
    void heirRefusesWritesUntilItKnowsWhatTheOwnerRefuses() {
        List<Key> keys = agreed.keys(MOVED, 3);
        put(keys, 1, ALL);
        agreed.link(HEIR).toward(SimulatedCluster.id(OWNER), Fault.loseRequest());
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofSeconds(10));
        put(keys, 2, MAJORITY);
        assertHoldsNone(HEIR, keys);
        assertThat(waitsFor()).contains("n0");
        cluster.heal();
        awaitComplete();
        assertHolds(HEIR, keys, 2);
    }

    @Test
    void pausedMovesStandStillAndTheRateHolds() {
        List<Key> keys = agreed.keys(MOVED, 40);
        keys.forEach(key -> cluster.await(agreed.coordinator().put(key, new byte[64 << 10], ALL)));
        agreed.settings(new Moves(List.of(), new RebalanceSettings(64 << 10, true), Set.of()));
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofMinutes(5));
        assertThat(agreed.node(HEIR).moves().progress().get(0).copiedBytes()).isZero();
        assertThat(waitsFor()).contains("paused");
        agreed.settings(new Moves(List.of(), new RebalanceSettings(64 << 10, false), Set.of()));
        agreed.installAtAll();
        cluster.env.advance(Duration.ofSeconds(20));
        assertThat(agreed.node(HEIR).moves().progress().get(0).copiedBytes()).isBetween(256L << 10, 30L << 16);
        agreed.settings(new Moves(List.of(), new RebalanceSettings(1 << 30, false), Set.of()));
        agreed.installAtAll();
        awaitComplete();
    }
}
