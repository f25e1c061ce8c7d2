package io.dht4j.testkit.store;

import static io.dht4j.testkit.store.Entries.NOW;
import static io.dht4j.testkit.store.Entries.SEED;
import static io.dht4j.testkit.store.Entries.randomEntries;
import static io.dht4j.testkit.store.Entries.scanned;
import static io.dht4j.testkit.store.Entries.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Concurrent use, interrupts, and closing during use. A part of {@link StoreContract}. */
interface ConcurrentUseSuite extends StoreSuite {

    @Test
    default void everyChangeByManyWritersIsReportedToAListener() throws Exception {
        RecordingListener reported = new RecordingListener();
        reported.begin(store());
        List<Runnable> writers = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            List<Entry> history = randomEntries(new SplittableRandom(SEED + writer), 2000, 300);
            writers.add(() -> {
                for (int i = 0; i < history.size(); i += 5) {
                    store().apply(history.subList(i, i + 5));
                }
            });
        }
        inParallel(writers);

        reported.assertReports(store());
    }

    /** Reads run concurrently with a writer and a merge. */
    @Test
    default void whatWasReadOfAKeyIsNeverFollowedBySomethingOlder() throws Exception {
        List<Key> keys = IntStream.range(0, 8).mapToObj(i -> Key.of("key-" + i)).toList();
        AtomicBoolean written = new AtomicBoolean();
        List<Runnable> tasks = new ArrayList<>();
        tasks.add(() -> {
            byte[] bytes = new byte[200];
            try {
                for (int version = 1; version <= 4000; version++) {
                    store().apply(List.of(
                            Entry.value(keys.get(version % keys.size()), new Version(version), bytes, Entry.NEVER)));
                }
            } finally {
                written.set(true);
            }
        });
        for (int reader = 0; reader < 2; reader++) {
            SplittableRandom random = new SplittableRandom(SEED + reader);
            tasks.add(() -> {
                Map<Key, Entry> seen = new HashMap<>();
                while (!written.get()) {
                    Key key = keys.get(random.nextInt(keys.size()));
                    Optional<Entry> now = random.nextBoolean()
                            ? store().get(key)
                            : store().getFromMemory(key)
                                    .map(Store.Held::entry)
                                    .orElse(Optional.ofNullable(seen.get(key)));
                    Entry before = seen.get(key);
                    if (before != null) {
                        assertThat(now).as("after %s", before).isPresent();
                        assertThat(before.supersedes(now.orElseThrow())).isFalse();
                    }
                    now.ifPresent(entry -> seen.put(key, entry));
                }
            });
        }
        inParallel(tasks);
    }

    @Test
    default void concurrentWritersEndWhereTheModelEnds() throws Exception {
        ModelStore model = new ModelStore();
        List<List<Entry>> histories = new ArrayList<>();
        for (int writer = 0; writer < 8; writer++) {
            List<Entry> history = randomEntries(new SplittableRandom(SEED + writer), 2000, 300);
            histories.add(history);
            model.apply(history);
        }
        inParallel(histories.stream()
                .map(history -> (Runnable) () -> {
                    for (int i = 0; i < history.size(); i += 5) {
                        List<Entry> batch = history.subList(i, i + 5);
                        store().apply(batch);
                        Entry first = batch.get(0);
                        Entry seen = store().get(first.key()).orElseThrow();
                        assertThat(first.supersedes(seen)).isFalse();
                    }
                })
                .toList());

        assertThat(scanned(store(), KeyRange.all())).isEqualTo(scanned(model, KeyRange.all()));
        assertThat(store().entries()).isEqualTo(model.entries());
    }

    /** Scans return no key twice, no key out of order, and every key that stayed. */
    @Test
    default void scansDuringWritesShowEverySettledKeyOnceAndInOrder() throws Exception {
        List<Entry> settled = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            settled.add(value(String.format(Locale.ROOT, "s%04d", i), 1, "settled"));
        }
        store().apply(settled);
        List<Runnable> tasks = new ArrayList<>();
        for (int writer = 0; writer < 3; writer++) {
            SplittableRandom random = new SplittableRandom(SEED + writer);
            tasks.add(() -> {
                for (int i = 0; i < 3000; i++) {
                    store().apply(List.of(value("s" + random.nextInt(10_000) + "w", 2 + i, "moving")));
                }
            });
        }
        tasks.add(() -> {
            for (int round = 0; round < 20; round++) {
                List<Entry> shown = scanned(store(), KeyRange.all());
                assertThat(shown).extracting(Entry::key).isSorted().doesNotHaveDuplicates();
                assertThat(shown).containsAll(settled);
            }
        });
        inParallel(tasks);
    }

    @Test
    default void anInterruptedCallerDoesNoHarmAndStaysInterrupted() throws Exception {
        store().apply(List.of(value("a", 1, "x")));

        Thread.currentThread().interrupt();
        store().apply(List.of(value("b", 1, "y")));
        assertThat(store().get(Key.of("a"))).isPresent();
        assertThat(scanned(store(), KeyRange.all())).hasSize(2);
        store().purge(new Version(0), NOW);
        assertThat(store().get(Key.of("b"))).isPresent();
        assertThat(Thread.interrupted()).isTrue();

        store().apply(List.of(value("c", 1, "z")));
        assertThat(scanned(store(), KeyRange.all())).hasSize(3);
    }

    @Test
    default void interruptsThatComeAtAnyMomentDoNoHarm() throws Exception {
        Thread worker = new Thread(() -> {
            for (int i = 0; i < 2000; i++) {
                store().apply(List.of(value("key-" + i, 1, "x".repeat(100))));
                assertThat(store().get(Key.of("key-" + i / 2))).isPresent();
            }
        });
        worker.start();
        while (worker.isAlive()) {
            worker.interrupt();
            worker.join(1);
        }

        assertThat(scanned(store(), KeyRange.all())).hasSize(2000);
        store().apply(List.of(value("after", 1, "x")));
        assertThat(store().get(Key.of("after"))).isPresent();
    }

    @Test
    default void closeWaitsForCallsUnderWayAndFailsThoseThatComeLater() throws Exception {
        AtomicBoolean giveUp = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> writers = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                String prefix = "w" + writer + "-";
                writers.add(threads.submit(() -> {
                    int written = 0;
                    try {
                        while (!giveUp.get()) {
                            store().apply(List.of(value(prefix + written % 1000, 1 + written, "x")));
                            written++;
                        }
                    } catch (StoreException e) {
                        return written;
                    }
                    throw new AssertionError("the store was never closed");
                }));
            }
            while (store().entries() < 1000) {
                Thread.onSpinWait();
            }
            store().close();
            for (Future<Integer> writer : writers) {
                assertThat(writer.get(30, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(0);
            }
        } finally {
            giveUp.set(true);
            threads.shutdown();
        }
    }

    private static void inParallel(List<Runnable> tasks) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Runnable task : tasks) {
                running.add(threads.submit(task));
            }
            for (Future<?> task : running) {
                task.get();
            }
        } finally {
            threads.shutdown();
        }
    }
}
