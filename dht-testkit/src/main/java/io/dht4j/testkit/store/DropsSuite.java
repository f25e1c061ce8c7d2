package io.dht4j.testkit.store;

import static io.dht4j.testkit.store.Entries.NOW;
import static io.dht4j.testkit.store.Entries.SEED;
import static io.dht4j.testkit.store.Entries.randomEntries;
import static io.dht4j.testkit.store.Entries.scanned;
import static io.dht4j.testkit.store.Entries.tombstone;
import static io.dht4j.testkit.store.Entries.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A drop removes all entries of some keys, and no other entry. A part of {@link StoreContract}. */
interface DropsSuite extends StoreSuite {

    /** Keys as a partition of two has them. */
    Predicate<Key> HALF = key -> key.hashCode() % 2 == 0;

    @Test
    default void aDropRemovesEveryEntryOfTheChosenKeys() {
        Entry stays = value("stays", 1, "x");
        store().apply(List.of(
                stays,
                value("live", 9, "x"),
                tombstone("dead", 9),
                Entry.value(Key.of("later"), new Version(9), new byte[1], NOW + 1)));

        assertThat(store().drop(key -> !key.equals(Key.of("stays")))).isEqualTo(3);

        assertThat(scanned(store(), KeyRange.all())).containsExactly(stays);
        assertThat(store().get(Key.of("live"))).isEmpty();
        assertThat(store().entries()).isEqualTo(1);
        assertThat(store().drop(key -> !key.equals(Key.of("stays")))).isZero();
    }

    @Test
    default void aDroppedKeyTakesAnyVersionAgain() {
        store().apply(List.of(value("a", 9, "new")));
        store().get(Key.of("a"));
        store().drop(key -> true);

        store().apply(List.of(value("a", 3, "old")));

        assertThat(store().get(Key.of("a"))).contains(value("a", 3, "old"));
        assertThat(scanned(store(), KeyRange.all())).containsExactly(value("a", 3, "old"));
    }

    @Test
    default void aListenerLearnsOfEveryDroppedEntry() {
        SplittableRandom random = new SplittableRandom(SEED);
        RecordingListener reported = new RecordingListener();
        reported.begin(store());
        for (int round = 0; round < 20; round++) {
            store().apply(randomEntries(random, 50, 150));
            if (round % 3 == 0) {
                store().drop(HALF);
            }
        }
        reported.assertReports(store());
    }

    @Test
    default void aKeyThatIsKeptMeanwhileStays() {
        store().apply(List.of(value("a", 1, "x"), value("b", 1, "x"), value("c", 1, "x")));
        List<Key> asked = new ArrayList<>();

        store().drop(key -> {
            asked.add(key);
            return false;
        });

        assertThat(asked).contains(Key.of("a"), Key.of("b"), Key.of("c"));
        assertThat(store().entries()).isEqualTo(3);
    }

    @Test
    default void otherKeysAreWrittenDuringADrop() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 40; i++) {
            store().apply(randomEntries(random, 500, 20_000));
        }
        List<Entry> later = new ArrayList<>();
        CompletableFuture<Long> drop = CompletableFuture.supplyAsync(
                () -> store().drop(key -> !key.toString().contains("later")));
        for (int i = 0; i < 200; i++) {
            Entry entry = value("later" + i, 1, "x");
            store().apply(List.of(entry));
            later.add(entry);
        }
        assertThat(drop.join()).isPositive();

        assertThat(scanned(store(), KeyRange.all())).containsExactlyInAnyOrderElementsOf(later);
    }
}
