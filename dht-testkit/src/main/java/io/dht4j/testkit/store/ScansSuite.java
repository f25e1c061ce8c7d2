package io.dht4j.testkit.store;

import static io.dht4j.testkit.store.Entries.SEED;
import static io.dht4j.testkit.store.Entries.scanned;
import static io.dht4j.testkit.store.Entries.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Scans: their order, their range and their cursors. A part of {@link StoreContract}. */
interface ScansSuite extends StoreSuite {

    @Test
    default void keysAreOrderedAsUnsignedBytes() {
        List<Key> ascending = List.of(
                Key.of(new byte[] {0}),
                Key.of(new byte[] {0, 0}),
                Key.of(new byte[] {0x7f}),
                Key.of(new byte[] {0x7f, (byte) 0xff}),
                Key.of(new byte[] {(byte) 0x80}),
                Key.of(new byte[] {(byte) 0xff}),
                Key.of(new byte[] {(byte) 0xff, 0}));
        List<Key> shuffled = new ArrayList<>(ascending);
        Collections.shuffle(shuffled, new Random(SEED));

        for (Key key : shuffled) {
            store().apply(List.of(Entry.tombstone(key, new Version(1))));
        }

        assertThat(scanned(store(), KeyRange.all())).extracting(Entry::key).containsExactlyElementsOf(ascending);
    }

    /** Ranges include their start and exclude their end. */
    @Test
    default void aScanShowsItsRangeOnly() {
        for (String key : List.of("d", "b", "a", "c")) {
            store().apply(List.of(value(key, 1, key)));
        }

        assertThat(keys(KeyRange.between(Key.of("b"), Key.of("d")))).containsExactly("b", "c");
        assertThat(keys(KeyRange.from(Key.of("c")))).containsExactly("c", "d");
        assertThat(keys(KeyRange.from(Key.of("bb")))).containsExactly("c", "d");
        assertThat(keys(KeyRange.from(Key.of("e")))).isEmpty();
        assertThat(keys(KeyRange.between(Key.of("b"), Key.of("b")))).isEmpty();
        assertThat(keys(new KeyRange(Key.of("c"), Optional.of(Key.of("a"))))).isEmpty();
    }

    private List<String> keys(KeyRange range) {
        return scanned(store(), range).stream()
                .map(entry -> entry.key().toString())
                .toList();
    }

    @Test
    default void aCursorEndsOnceAndForAll() {
        store().apply(List.of(value("a", 1, "x")));
        EntryCursor cursor = store().scan(KeyRange.all());
        assertThat(cursor.hasNext()).isTrue();
        assertThat(cursor.hasNext()).isTrue();
        assertThat(cursor.next()).isEqualTo(value("a", 1, "x"));
        assertThat(cursor.hasNext()).isFalse();
        assertThatThrownBy(cursor::next).isInstanceOf(NoSuchElementException.class);
        cursor.close();
        cursor.close();
        assertThat(cursor.hasNext()).isFalse();
    }
}
