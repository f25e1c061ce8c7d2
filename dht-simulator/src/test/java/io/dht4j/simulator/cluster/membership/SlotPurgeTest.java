package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The owner of a slot that moves has purged: the heir refuses and purges what it does. */
class SlotPurgeTest extends MovingSlot {

    /** All replicas have purged up to this version, of a minute before the test. */
    private static final Version PURGED = Version.of(VirtualEnvironment.START_MILLIS - 60_000, 0);

    /** A partition that stays at the owner. */
    private static final int OF_OWNER_TOO = 3;

    private static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);

    SlotPurgeTest() {
        super((i, store) -> {
            if (i < HEIR) {
                keepWatermarks(store, PURGED);
            }
        });
    }

    private static void keepWatermarks(BlockingStore store, Version purged) {
        keepWatermarks(store, purged, purged);
    }

    private static void keepWatermarks(BlockingStore store, Version fenced, Version purged) {
        ByteBuffer note = ByteBuffer.allocate(2 * Long.BYTES * AgreedCluster.PARTITIONS);
        note.putLong(Long.BYTES * MOVED, fenced.packed());
        note.putLong(Long.BYTES * (AgreedCluster.PARTITIONS + MOVED), purged.packed());
        store.keepNote("fence", note.array());
    }

    /** A version below the watermarks. */
    private static Version belowWatermarks() {
        return Version.of(PURGED.millis() - 1000, 0);
    }

    private void hold(Entry entry, int... nodes) {
        for (int node : nodes) {
            agreed.stores.get(node).apply(List.of(entry));
        }
    }

    /** Gives the slot a phase in which the heir copies. It accepts writes, and gets no page yet. */
    private void moveWithoutPages(int slot, Phase phase) {
        hold(value(agreed.keys(MOVED, 30).get(29), belowWatermarks()), OWNER, OTHER, THIRD);
        beforePages(() -> {
            throw new StoreException("no pages yet");
        });
        agreed.move(MOVED, slot, phase, HEIR);
        agreed.installAtAll();
        cluster.env.advance(Duration.ofSeconds(1));
        assertThat(isComplete()).isFalse();
    }

    private void beforePages(Runnable step) {
        for (int node : new int[] {OWNER, OTHER, THIRD}) {
            agreed.stores.get(node).beforeScan = step;
        }
    }

    private void copy() {
        beforePages(() -> {});
        awaitComplete();
    }

    private void refuseAt(int node) {
        agreed.link(AgreedCluster.COORDINATOR).toward(SimulatedCluster.id(node), Fault.refuse());
    }

    private Optional<byte[]> get(Key key, CallOptions options) {
        return cluster.await(agreed.coordinator().get(key, options)).map(Value::bytes);
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "GROW"})
    void entryBelowTheWatermarkIsReadDuringTheCopy(Phase phase) {
        Key key = agreed.key(MOVED);
        hold(value(key, belowWatermarks()), OWNER, OTHER, THIRD);
        moveWithoutPages(0, phase);
        assertThat(get(key, ALONE)).hasValue(new byte[] {1});
        refuseAt(THIRD);
        assertThat(get(key, MAJORITY)).hasValue(new byte[] {1});
        assertHoldsNone(HEIR, List.of(key));
        copy();
        assertHolds(HEIR, List.of(key), 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "GROW"})
    void tombstoneThatTheOwnerHasPurgedIsRead(Phase phase) {
        Key key = agreed.key(MOVED);
        hold(Entry.tombstone(key, belowWatermarks()), OTHER);
        moveWithoutPages(0, phase);
        refuseAt(THIRD);
        assertThat(get(key, MAJORITY)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "GROW"})
    void batchReadRepairsTheHeirAboveTheWatermarks(Phase phase) {
        Key before = agreed.keys(MOVED, 2).get(0);
        Key since = agreed.keys(MOVED, 2).get(1);
        hold(value(before, belowWatermarks()), OWNER, OTHER, THIRD);
        moveWithoutPages(0, phase);
        hold(value(since, Version.of(cluster.env.currentTimeMillis(), 0)), OWNER, OTHER);
        refuseAt(THIRD);
        assertThat(cluster.await(agreed.coordinator().getAll(Set.of(before, since), MAJORITY)))
                .containsOnlyKeys(before, since);
        assertHolds(HEIR, List.of(since), 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void growingHeirRefusesExactlyWhatItsOwnerRefuses(boolean copied) {
        // The first replica has voted for a later purge, whose outcome it does not know.
        BlockingStore inDoubt = new BlockingStore(cluster.image(OWNER));
        keepWatermarks(inDoubt, Version.of(PURGED.millis() + 10_000, 0), PURGED);
        agreed.stores.set(OWNER, inDoubt);
        agreed.restart(OWNER, inDoubt);
        moveWithoutPages(2, Phase.GROW);
        if (copied) {
            copy();
        }
        List<Key> keys = agreed.keys(MOVED, 2);
        assertThat(write(value(keys.get(0), belowWatermarks())).toString()).contains("VERSION_TOO_OLD");
        assertThat(write(value(keys.get(1), Version.of(PURGED.millis() + 1000, 0))))
                .isInstanceOf(Reply.Applied.class);
    }

    @Test
    void heirRefusesWhatTheOwnerRefusesAsTooOld() {
        Key key = agreed.key(MOVED);
        move(Phase.COPY, HEIR);
        awaitComplete();
        Entry late = value(key, Version.of(PURGED.millis() - 1000, 0));
        assertThat(write(late).toString()).contains("VERSION_TOO_OLD");
        assertHoldsNone(HEIR, List.of(key));
    }

    @Test
    void hintThatTheOwnerRefusesIsRefusedFromTheFirstMomentOn() {
        Key key = agreed.keys(MOVED, 30).get(29);
        Entry late = value(key, Version.of(PURGED.millis() - 1000, 0));
        put(agreed.keys(MOVED, 20), 1, ALL);
        // It answers for its watermarks, and delivers no page.
        agreed.stores.get(OWNER).broken = true;
        move(Phase.COPY, HEIR);
        assertThat(write(late)).isInstanceOf(Reply.Failed.class);
        cluster.env.advance(Duration.ofSeconds(5));
        assertThat(isComplete()).isFalse();
        assertThat(write(late).toString()).contains("VERSION_TOO_OLD");
        agreed.stores.get(OWNER).broken = false;
        awaitComplete();
        assertHoldsNone(HEIR, List.of(key));
    }

    @Test
    void ownerWhoseDiskIsRolledBackIsCopiedOnceItHasCaughtUp() {
        List<Key> keys = agreed.keys(MOVED, 20);
        put(keys, 1, ALL);
        BlockingStore earlier = new BlockingStore();
        earlier.apply(List.of(value(agreed.key(OF_OWNER_TOO), belowWatermarks())));
        keepWatermarks(earlier, Version.of(PURGED.millis() - 10_000, 0));
        agreed.stores.set(OWNER, earlier);
        for (int other : new int[] {OTHER, THIRD}) {
            agreed.stores.get(other).beforeScan = () -> {
                throw new StoreException("no pages yet");
            };
        }
        agreed.restart(OWNER, earlier);
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofMinutes(1));
        assertThat(isComplete()).isFalse();
        assertThat(waitsFor()).contains("its disk was lost or rolled back");
        beforePages(() -> {});
        awaitComplete();
        assertHolds(HEIR, keys, 1);
    }

    @Test
    void heirIsNotTakenForARolledBackDisk() {
        put(agreed.keys(MOVED, 20), 1, ALL);
        move(Phase.COPY, HEIR);
        cluster.env.advance(Duration.ofMinutes(3));
        awaitComplete();
        move(Phase.BOTH, HEIR);
        move(Phase.STABLE, HEIR);
        cluster.env.advance(Duration.ofMinutes(3));
        agreed.restart(HEIR);
        cluster.env.advance(Duration.ofMinutes(3));
        assertThat(cluster.await(cluster.node(HEIR).operations().status())
                        .refill()
                        .partitions())
                .isZero();
        assertHolds(HEIR, agreed.keys(MOVED, 20), 1);
    }
}
