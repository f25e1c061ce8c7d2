package io.dht4j.store.mvstore.internal.memtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemtableTest {

    private static final int LARGE = 10_000;

    private final Memtable table = new Memtable(7, Path.of("segment"));

    @Test
    void anEmptyTableHasNothing() {
        assertThat(table.isEmpty()).isTrue();
        assertThat(table.get(Key.of("a"))).isNull();
        assertThat(table.contains(Key.of("a"))).isFalse();
        assertThat(table.iterator().hasNext()).isFalse();
        assertThat(table.newest()).isEqualTo(new Version(0));
        assertThatThrownBy(() -> table.iterator().next()).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void keysThatDifferInZerosAtTheirEndAreKeptApart() {
        List<Key> keys = new ArrayList<>();
        for (int length = 1; length < 20; length++) {
            keys.add(Key.of(new byte[length]));
        }
        for (Key key : keys) {
            table.put(Entry.value(key, new Version(key.length()), new byte[key.length()], Entry.NEVER));
        }

        assertThat(table.size()).isEqualTo(keys.size());
        assertThat(table).extracting(Entry::key).containsExactlyElementsOf(keys);
        assertThat(table.get(keys.get(7)).value()).hasSize(8);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void holdsWhatASortedMapHolds(long seed) {
        Random random = new Random(seed);
        TreeMap<Key, Entry> model = new TreeMap<>();
        for (int i = 0; i < 20_000; i++) {
            Entry entry = anyEntry(random);
            table.put(entry);
            model.merge(entry.key(), entry, Entry::newest);
        }

        assertThat(table.size()).isEqualTo(model.size());
        assertThat(table).containsExactlyElementsOf(model.values());
        for (int i = 0; i < 1000; i++) {
            Key key = anyKey(random);
            assertThat(table.get(key)).isEqualTo(model.get(key));
            assertThat(table.contains(key)).isEqualTo(model.containsKey(key));
        }
        for (int i = 0; i < 100; i++) {
            Key start = anyKey(random);
            Iterator<Entry> expected = model.tailMap(start, true).values().iterator();
            Iterator<Entry> actual = table.from(start);
            for (int step = 0; step < 20 && expected.hasNext(); step++) {
                assertThat(actual.next()).isEqualTo(expected.next());
            }
        }
    }

    @Test
    void entryDoesNotChangeWithTheWrittenArray() {
        byte[] value = {1, 2, 3};
        table.put(Entry.value(Key.of("k"), new Version(1), value, 5));
        value[0] = 9;

        assertThat(table.get(Key.of("k"))).isEqualTo(Entry.value(Key.of("k"), new Version(1), new byte[] {1, 2, 3}, 5));
    }

    @Test
    void readersSeeWholeEntriesInOrderDuringWrites() throws Exception {
        AtomicBoolean written = new AtomicBoolean();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            Random random = new Random(5);
            for (int version = 1; version <= 200_000; version++) {
                table.put(selfDescribing(random.nextInt(20_000), version));
            }
            written.set(true);
        });
        List<CompletableFuture<Long>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            long seed = i;
            readers.add(CompletableFuture.supplyAsync(() -> readUntil(written, seed)));
        }

        writer.get(60, TimeUnit.SECONDS);
        for (CompletableFuture<Long> reader : readers) {
            assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
        }
    }

    private long readUntil(AtomicBoolean written, long seed) {
        Random random = new Random(seed);
        long seen = 0;
        boolean last;
        do {
            last = written.get();
            Entry found = table.get(numbered(random.nextInt(20_000)));
            if (found != null) {
                checkSelf(found);
            }
            Key before = numbered(random.nextInt(20_000));
            Iterator<Entry> ascending = table.from(before);
            for (int i = 0; i < 50 && ascending.hasNext(); i++) {
                Entry entry = ascending.next();
                checkSelf(entry);
                assertThat(entry.key()).isGreaterThanOrEqualTo(before);
                before = entry.key().successor().orElseThrow();
                seen++;
            }
        } while (!last);
        return seen;
    }

    private static Key numbered(int number) {
        return Key.of("user:%08d".formatted(number));
    }

    private static Entry selfDescribing(int number, int version) {
        byte[] value = new byte[version % 200];
        Arrays.fill(value, (byte) version);
        return Entry.value(numbered(number), new Version(version), value, version);
    }

    private static void checkSelf(Entry entry) {
        int version = (int) entry.version().packed();
        assertThat(entry.expiresAtMillis()).isEqualTo(version);
        byte[] expected = new byte[version % 200];
        Arrays.fill(expected, (byte) version);
        assertThat(entry.value()).isEqualTo(expected);
    }

    /**
     * Few bytes, so that many keys are the same, or the beginning of another one, or differ after the eighth byte only.
     */
    private static Key anyKey(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(12)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = i < 7 && random.nextInt(4) > 0 ? 0 : (byte) (random.nextInt(3) - 1);
        }
        return Key.of(bytes);
    }

    private static Entry anyEntry(Random random) {
        Key key = anyKey(random);
        Version version = new Version(random.nextInt(50));
        if (random.nextInt(4) == 0) {
            return Entry.tombstone(key, version);
        }
        byte[] value = new byte[random.nextInt(100) == 0 ? LARGE : random.nextInt(40)];
        random.nextBytes(value);
        return Entry.value(key, version, value, random.nextInt(3));
    }
}
