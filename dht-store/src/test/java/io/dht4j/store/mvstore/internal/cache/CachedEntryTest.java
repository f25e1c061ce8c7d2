package io.dht4j.store.mvstore.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store.Held;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CachedEntryTest {

    private static final Key KEY = Key.of("key");

    private static Entry entry(long version, int bytes) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) version);
        return Entry.value(KEY, new Version(version), value, 1000 + version);
    }

    static List<Optional<Entry>> whatMayBeHeld() {
        return List.of(
                Optional.empty(),
                Optional.of(Entry.tombstone(KEY, new Version(7))),
                Optional.of(Entry.value(KEY, new Version(-1), new byte[] {1, 2, 3}, Entry.NEVER)),
                Optional.of(entry(9, 3)),
                Optional.of(entry(7, 0)),
                Optional.of(entry(7, CachedEntry.LARGE_BYTES)),
                Optional.of(entry(7, CachedEntry.LARGE_BYTES + 1)));
    }

    @ParameterizedTest
    @MethodSource("whatMayBeHeld")
    void itTellsWhatWasHeld(Optional<Entry> held) {
        assertThat(new CachedEntry(held).held(KEY)).isEqualTo(new Held(held));
    }

    @ParameterizedTest
    @MethodSource("whatMayBeHeld")
    void onlyAValueOfTheSameLengthIsWrittenOverAnother(Optional<Entry> held) {
        for (Optional<Entry> other : whatMayBeHeld()) {
            CachedEntry cached = new CachedEntry(held);
            boolean fits = held.isPresent()
                    && other.isPresent()
                    && !held.get().isTombstone()
                    && !other.get().isTombstone()
                    && held.get().value().length == other.get().value().length
                    && held.get().value().length <= CachedEntry.LARGE_BYTES;

            assertThat(other.isPresent() && cached.replaceBy(other.get())).isEqualTo(fits);
            assertThat(cached.held(KEY)).isEqualTo(new Held(fits ? other : held));
        }
    }

    @Test
    void whatWasHandedOutOrTakenDoesNotChange() {
        Entry first = entry(1, 10);
        CachedEntry cached = new CachedEntry(Optional.of(first));
        Held before = cached.held(KEY);
        Entry second = entry(2, 10);
        cached.replaceBy(second);
        cached.replaceBy(entry(3, 10));

        assertThat(cached.held(KEY)).isEqualTo(new Held(Optional.of(entry(3, 10))));
        assertThat(before).isEqualTo(new Held(Optional.of(entry(1, 10))));
        assertThat(first).isEqualTo(entry(1, 10));
        assertThat(second).isEqualTo(entry(2, 10));
    }

    @ParameterizedTest
    @MethodSource("whatMayBeHeld")
    void itIsOlderThanWhatSupersedesIt(Optional<Entry> held) {
        CachedEntry cached = new CachedEntry(held);
        Stream.of(
                        Entry.tombstone(KEY, new Version(7)),
                        Entry.tombstone(KEY, new Version(6)),
                        Entry.tombstone(KEY, new Version(-1)),
                        entry(7, 0),
                        entry(7, 100),
                        entry(8, 3),
                        Entry.value(KEY, new Version(-1), new byte[] {1, 2, 4}, Entry.NEVER))
                .forEach(entry -> assertThat(cached.isOlderThan(entry))
                        .isEqualTo(held.isEmpty() || entry.supersedes(held.get())));
    }

    @Test
    void nothingIsToldWhileItIsWrittenOver() throws Exception {
        CachedEntry cached = new CachedEntry(Optional.of(entry(1, 10)));
        VarHandle sequence = MethodHandles.privateLookupIn(CachedEntry.class, MethodHandles.lookup())
                .findVarHandle(CachedEntry.class, "sequence", int.class);
        sequence.set(cached, 1);
        assertThat(cached.held(KEY)).isNull();

        // Also after a writer that did not come to its end.
        assertThat(cached.replaceBy(entry(2, 10))).isTrue();
        assertThat(cached.held(KEY)).isEqualTo(new Held(Optional.of(entry(2, 10))));
    }

    @Test
    void readersNeverSeeHalfOfAWrite() throws Exception {
        CachedEntry cached = new CachedEntry(Optional.of(entry(1, 1000)));
        AtomicBoolean writing = new AtomicBoolean(true);
        LongAdder changes = new LongAdder();
        Callable<Long> reader = () -> {
            long newest = 0;
            while (writing.get()) {
                Held held = cached.held(KEY);
                if (held == null) {
                    continue;
                }
                Entry entry = held.entry().orElseThrow();
                long version = entry.version().packed();
                for (byte each : entry.value()) {
                    if (each != (byte) version) {
                        throw new AssertionError(each + " in the value of version " + version);
                    }
                }
                assertThat(entry.expiresAtMillis()).isEqualTo(1000 + version);
                assertThat(version).isGreaterThanOrEqualTo(newest);
                if (version > newest) {
                    changes.increment();
                }
                newest = version;
            }
            return newest;
        };
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<Long>> readers =
                    Stream.generate(() -> threads.submit(reader)).limit(3).toList();
            long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            long version = 2;
            for (; changes.sum() < 10_000 && System.nanoTime() < giveUp; version++) {
                assertThat(cached.replaceBy(entry(version, 1000))).isTrue();
                if (readers.stream().anyMatch(Future::isDone)) {
                    break;
                }
            }
            writing.set(false);
            for (Future<Long> each : readers) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isLessThan(version);
            }
            assertThat(changes.sum()).isGreaterThanOrEqualTo(10_000);
        } finally {
            writing.set(false);
            threads.shutdownNow();
        }
    }
}
