package io.dht4j.testkit.store;

import static io.dht4j.testkit.store.Entries.NOW;
import static io.dht4j.testkit.store.Entries.SEED;
import static io.dht4j.testkit.store.Entries.randomEntries;
import static io.dht4j.testkit.store.Entries.scanned;
import static io.dht4j.testkit.store.Entries.tombstone;
import static io.dht4j.testkit.store.Entries.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Applied entries are there after the store was closed and opened again. A part of {@link DurableStoreContract}. */
interface ReopeningSuite extends StoreSuite {

    /** Closes the store and opens it again. */
    void reopen();

    @Test
    default void anEmptyStoreCanBeReopenedAgainAndAgain() {
        for (int i = 0; i < 5; i++) {
            reopen();
            assertThat(store().entries()).isZero();
        }
    }

    /** The settings that determine the placement of keys must not change under the data. */
    @Test
    default void aStoreStaysTiedToWhatItWasBoundTo() {
        store().bind("64 partitions, ring");
        reopen();
        store().bind("64 partitions, ring");
        reopen();
        assertThatThrownBy(() -> store().bind("64 partitions, jump"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("ring")
                .hasMessageContaining("jump");
    }

    @Test
    default void everythingAppliedIsThereAfterReopening() {
        SplittableRandom random = new SplittableRandom(SEED);
        ModelStore model = new ModelStore();
        for (int round = 0; round < 8; round++) {
            for (int i = 0; i < 40; i++) {
                List<Entry> batch = randomEntries(random, 25, 400);
                store().apply(batch);
                model.apply(batch);
            }
            if (round == 4) {
                Version before = new Version(5);
                assertThat(store().purge(before, NOW)).isEqualTo(model.purge(before, NOW));
            }
            reopen();
            assertThat(scanned(store(), KeyRange.all())).isEqualTo(scanned(model, KeyRange.all()));
            assertThat(store().entries()).isEqualTo(model.entries());
        }
    }

    @Test
    default void aLateOldVersionDoesNotWinAfterReopening() {
        store().apply(List.of(value("a", 5, "new"), tombstone("b", 5)));
        reopen();
        store().apply(List.of(value("a", 4, "old"), value("b", 4, "old")));
        reopen();

        assertThat(store().get(Key.of("a"))).contains(value("a", 5, "new"));
        assertThat(store().get(Key.of("b"))).contains(tombstone("b", 5));
    }

    /** The store can detect a wall clock that was turned back. */
    @Test
    default void aReopenedStoreReportsTheNewestVersionItHasSeen() {
        store().apply(List.of(value("a", 5, "x"), tombstone("b", -2), value("c", 7, "z")));
        assertThat(store().newestAtOpen()).isEqualTo(new Version(0));
        reopen();
        assertThat(store().newestAtOpen()).isEqualTo(new Version(-2));
        store().purge(new Version(1), NOW);
        store().apply(List.of(value("d", -1, "x")));
        reopen();
        assertThat(store().newestAtOpen()).isEqualTo(new Version(-1));
    }

    @Test
    default void notesAndWhatIsHeldAreThereAfterReopening() {
        store().keepNote("a-note", new byte[] {1, 2, 3});
        store().apply(List.of(value("a", 1, "x"), tombstone("b", 2)));
        reopen();

        assertThat(store().note("a-note")).hasValue(new byte[] {1, 2, 3});
        Map<Entry, Integer> reported = new ConcurrentHashMap<>();
        ContentListener listener = new ContentListener() {
            @Override
            public void added(Entry entry) {
                reported.merge(entry, 1, Integer::sum);
            }

            @Override
            public void removed(Entry entry) {
                reported.merge(entry, -1, Integer::sum);
            }
        };
        EntryCursor held = store().follow(listener);
        // The writes happen between the first and the second page of the cursor.
        store().apply(List.of(value("c", 3, "z"), value("a", 4, "y")));
        store().settle();
        held.forEachRemaining(listener::added);
        held.close();
        reported.values().removeIf(count -> count == 0);

        assertThat(reported.values()).containsOnly(1);
        assertThat(reported.keySet()).containsExactlyInAnyOrderElementsOf(scanned(store(), KeyRange.all()));
    }

    @Test
    default void purgedEntriesStayAwayAfterReopening() {
        store().apply(List.of(value("a", 1, "x"), value("b", 1, "y")));
        store().apply(List.of(tombstone("a", 2)));
        store().apply(List.of(value("a", 1, "late")));

        assertThat(store().purge(new Version(10), NOW)).isEqualTo(1);
        reopen();

        assertThat(scanned(store(), KeyRange.all())).containsExactly(value("b", 1, "y"));
    }

    @Test
    default void droppedEntriesStayAwayAfterReopening() {
        store().apply(List.of(value("a", 1, "x"), value("b", 1, "y")));
        reopen();
        store().apply(List.of(value("a", 2, "z"), value("c", 1, "z")));

        assertThat(store().drop(key -> !key.equals(Key.of("b")))).isEqualTo(2);
        reopen();

        assertThat(scanned(store(), KeyRange.all())).containsExactly(value("b", 1, "y"));
        store().apply(List.of(value("a", 1, "x")));
        reopen();
        assertThat(store().get(Key.of("a"))).contains(value("a", 1, "x"));
    }

    @Test
    default void aValueOf16MibIsThereAfterReopening() {
        byte[] large = new byte[16 << 20];
        new SplittableRandom(SEED).nextBytes(large);
        store().apply(List.of(Entry.value(Key.of("huge"), new Version(1), large, Entry.NEVER)));
        reopen();

        assertThat(store().get(Key.of("huge")).orElseThrow().value()).isEqualTo(large);
        reopen();
        assertThat(store().get(Key.of("huge")).orElseThrow().value()).isEqualTo(large);
    }
}
