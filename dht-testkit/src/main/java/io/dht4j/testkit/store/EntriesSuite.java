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
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Entries: a read returns the newest applied entry, of any size. Also notes, and a store that is closed. A part of
 * {@link StoreContract}.
 */
interface EntriesSuite extends StoreSuite {

    /** The size of the largest values. */
    int LARGE_VALUE_BYTES = 16 << 20;

    @Test
    default void aNewStoreIsEmpty() {
        assertThat(store().get(Key.of("a"))).isEmpty();
        assertThat(store().entries()).isZero();
        assertThat(scanned(store(), KeyRange.all())).isEmpty();
        assertThat(store().name()).isNotBlank();
        assertThat(store().newestAtOpen()).isEqualTo(new Version(0));
    }

    @Test
    default void appliedEntryIsReadBackUnchanged() {
        Entry entry = Entry.value(Key.of("a"), new Version(7), new byte[] {1, -1, 0}, 123);

        store().apply(List.of(entry));

        assertThat(store().get(Key.of("a"))).contains(entry);
        assertThat(store().get(Key.of("b"))).isEmpty();
        assertThat(store().entries()).isEqualTo(1);
    }

    @Test
    default void anOpenStoreIsOfOneNode() {
        store().claim(new NodeId("n1"));
        for (String name : List.of("n1", "n2")) {
            assertThatThrownBy(() -> store().claim(new NodeId(name)))
                    .hasMessageEndingWith(" is in use by node n1 already: create a store for each node")
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            failure -> assertThat(failure.isInUse()).isTrue());
        }
        store().close();
        assertThatThrownBy(() -> store().claim(new NodeId("n1")))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failure -> assertThat(failure.isInUse()).isFalse());
    }

    @Test
    default void applyingNoEntriesChangesNothing() {
        store().apply(List.of());

        assertThat(store().entries()).isZero();
    }

    @Test
    default void theNewestVersionStaysWhateverTheOrderOfArrival() {
        store().apply(List.of(value("a", 5, "five")));
        store().apply(List.of(value("a", 9, "nine")));
        store().apply(List.of(value("a", 7, "seven")));

        assertThat(store().get(Key.of("a"))).contains(value("a", 9, "nine"));
        assertThat(store().entries()).isEqualTo(1);
    }

    @Test
    default void theNewestVersionOfEachKeyIsReported() {
        store().apply(List.of(
                value("a", 5, "five"), value("b", 5, "five"), Entry.tombstone(Key.of("c"), new Version(5))));
        store().settle();

        List<Version> newest = store().applyAndGetVersions(List.of(
                value("c", 4, "four"),
                value("a", 4, "four"),
                value("b", 6, "six"),
                value("new", 3, "three"),
                value("a", 7, "seven"),
                value("new", 2, "two")));

        // A repeated key may be read before or after its newer entry is merged.
        assertThat(newest.get(0)).isEqualTo(new Version(5));
        assertThat(newest.get(1)).isIn(new Version(5), new Version(7));
        assertThat(newest.subList(2, 5)).containsExactly(new Version(6), new Version(3), new Version(7));
        assertThat(newest.get(5)).isEqualTo(new Version(3));
        assertThat(store().get(Key.of("a"))).contains(value("a", 7, "seven"));
        assertThat(store().applyAndGetVersions(List.of())).isEmpty();
    }

    @Test
    default void versionsAreComparedAsUnsignedNumbers() {
        store().apply(List.of(value("a", -1, "largest")));
        store().apply(List.of(value("a", Long.MAX_VALUE, "half")));

        assertThat(store().get(Key.of("a"))).contains(value("a", -1, "largest"));
    }

    @Test
    default void tombstoneThenLargerValueThenLaterExpiryWinsATie() {
        Key key = Key.of("a");
        Version version = new Version(3);
        List<Entry> ascending = List.of(
                Entry.value(key, version, new byte[] {1}, 50),
                Entry.value(key, version, new byte[] {1}, 60),
                Entry.value(key, version, new byte[] {1}, Entry.NEVER),
                Entry.value(key, version, new byte[] {1, 0}, 50),
                Entry.value(key, version, new byte[] {(byte) 0x80}, 50),
                Entry.tombstone(key, version));

        for (Entry entry : ascending) {
            store().apply(List.of(entry));
            assertThat(store().get(key)).contains(entry);
        }
        for (Entry entry : ascending) {
            store().apply(List.of(entry));
            assertThat(store().get(key)).contains(Entry.tombstone(key, version));
        }
    }

    @Test
    default void applyingAnEntryAgainChangesNothing() {
        Entry entry = value("a", 1, "x");
        store().apply(List.of(entry, entry));
        store().apply(List.of(entry));

        assertThat(scanned(store(), KeyRange.all())).containsExactly(entry);
        assertThat(store().entries()).isEqualTo(1);
    }

    @Test
    default void newestOfRepeatedKeysInACallStays() {
        store().apply(List.of(value("a", 2, "two"), value("b", 1, "b"), value("a", 3, "three"), value("a", 1, "one")));

        assertThat(scanned(store(), KeyRange.all())).containsExactly(value("a", 3, "three"), value("b", 1, "b"));
    }

    @Test
    default void tombstonesAreReadScannedAndCountedLikeValues() {
        store().apply(List.of(value("a", 1, "x"), value("b", 1, "y")));
        store().apply(List.of(tombstone("a", 2)));

        assertThat(store().get(Key.of("a"))).contains(tombstone("a", 2));
        assertThat(scanned(store(), KeyRange.all())).containsExactly(tombstone("a", 2), value("b", 1, "y"));
        assertThat(store().entries()).isEqualTo(2);
    }

    @Test
    default void emptyValuesAndValuesOf16MibAreKept() {
        byte[] large = new byte[LARGE_VALUE_BYTES];
        new SplittableRandom(SEED).nextBytes(large);
        Entry empty = value("empty", 1, "");
        Entry huge = Entry.value(Key.of("huge"), new Version(1), large, Entry.NEVER);

        store().apply(List.of(empty, huge, value("small", 1, "s")));

        assertThat(store().get(Key.of("empty"))).contains(empty);
        assertThat(store().get(Key.of("huge")).orElseThrow().value()).isEqualTo(large);
        assertThat(scanned(store(), KeyRange.all()))
                .extracting(entry -> entry.value().length)
                .containsExactly(0, LARGE_VALUE_BYTES, 1);
    }

    @Test
    default void theShortestAndTheLongestKeysAreKept() {
        byte[] longest = new byte[Key.MAX_LENGTH];
        Arrays.fill(longest, (byte) 0xff);
        Entry first = Entry.tombstone(Key.of(new byte[1]), new Version(1));
        Entry last = Entry.tombstone(Key.of(longest), new Version(1));

        store().apply(List.of(last, first));

        assertThat(scanned(store(), KeyRange.all())).containsExactly(first, last);
        assertThat(store().get(last.key())).contains(last);
    }

    /** Compares the store with the model after every step of a long random history. */
    @Test
    default void aRandomHistoryGivesWhatTheModelGives() {
        SplittableRandom random = new SplittableRandom(SEED);
        ModelStore model = new ModelStore();
        for (int round = 0; round < 300; round++) {
            List<Entry> batch = randomEntries(random, random.nextInt(20), 150);
            store().apply(batch);
            model.apply(batch);
            Key key = Key.of("key-" + random.nextInt(150));
            assertThat(store().get(key)).isEqualTo(model.get(key));
            if (random.nextInt(50) == 0) {
                Version before = new Version(random.nextInt(8));
                assertThat(store().purge(before, NOW)).isEqualTo(model.purge(before, NOW));
            }
            if (random.nextInt(10) == 0) {
                KeyRange range = new KeyRange(
                        Key.of("key-" + random.nextInt(150)), Optional.of(Key.of("key-" + random.nextInt(150))));
                assertThat(scanned(store(), range)).isEqualTo(scanned(model, range));
            }
        }
        assertThat(scanned(store(), KeyRange.all())).isEqualTo(scanned(model, KeyRange.all()));
        assertThat(store().entries()).isEqualTo(model.entries());
    }

    @Test
    default void memoryHoldsWhatAReadReturns() {
        SplittableRandom random = new SplittableRandom(SEED);
        ModelStore model = new ModelStore();
        for (int round = 0; round < 300; round++) {
            List<Entry> entries = randomEntries(random, random.nextInt(20), 150);
            store().apply(entries);
            model.apply(entries);
            if (random.nextInt(50) == 0) {
                Version margin = new Version(random.nextInt(4));
                store().purge(margin, NOW);
                model.purge(margin, NOW);
            }
            Key key = Key.of("key-" + random.nextInt(150));
            Optional<Entry> expected = model.get(key);
            store().getFromMemory(key)
                    .ifPresent(held -> assertThat(held.entry()).isEqualTo(expected));
            assertThat(store().get(key)).isEqualTo(expected);
            store().getFromMemory(key)
                    .ifPresent(held -> assertThat(held.entry()).isEqualTo(expected));
        }
    }

    @Test
    default void noteHasItsLastContent() {
        assertThat(store().note("a-note")).isEmpty();
        store().keepNote("a-note", new byte[] {1, 2});
        store().keepNote("another", new byte[0]);
        store().keepNote("a-note", new byte[] {3});

        assertThat(store().note("a-note")).hasValue(new byte[] {3});
        assertThat(store().note("another")).hasValue(new byte[0]);
        assertThat(scanned(store(), KeyRange.all())).isEmpty();
    }

    @Test
    default void closedStoreThrowsAndMayBeClosedAgain() {
        store().apply(List.of(value("a", 1, "x")));
        EntryCursor cursor = store().scan(KeyRange.all());
        store().close();
        store().close();

        assertThatThrownBy(() -> store().get(Key.of("a"))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store().getFromMemory(Key.of("a"))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store().apply(List.of(value("a", 2, "y")))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store().scan(KeyRange.all())).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store().purge(new Version(1), NOW)).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store().entries()).isInstanceOf(StoreException.class);
        assertThatThrownBy(cursor::next).isInstanceOf(StoreException.class);
        cursor.close();
    }
}
