package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The state after a purge that a full disk, writes or a close interrupt, and the changes that listeners learn of when a
 * purge or a merge has failed.
 */
class MvStorePurgeFaultsTest extends MvStoreFaults {

    /** Begins to listen while the store may open its file again, which ends what is being read. */
    private static RecordingListener beginAgain(MvStore store) throws InterruptedException {
        RecordingListener[] listener = new RecordingListener[1];
        await("somebody listens", () -> {
            try {
                listener[0] = new RecordingListener().begin(store);
                return true;
            } catch (StoreException e) {
                return false;
            }
        });
        return listener[0];
    }

    private static void applyDead(MvStore store, int from, int to) {
        List<Entry> dead = new ArrayList<>();
        for (int i = from; i < to; i++) {
            dead.add(Entry.tombstone(deadKey(i), new Version(1)));
        }
        store.apply(dead);
    }

    private static Key deadKey(int i) {
        return Key.of(String.format(Locale.ROOT, "dead-%06d", i));
    }

    private static long dead(MvStore store) {
        long count = 0;
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            while (cursor.hasNext()) {
                count += cursor.next().isTombstone() ? 1 : 0;
            }
        }
        return count;
    }

    @Test
    void fullDiskEndsAPurgeAndNotTheWrites() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, 100);
            applyDead(store, 0, 20_000);
            RecordingListener listener = new RecordingListener().begin(store);
            AtomicInteger asked = new AtomicInteger();

            assertThatThrownBy(() -> store.purge(entry -> {
                        if (asked.incrementAndGet() == 6000) {
                            disk.failWrites(FailingDisk::isMap);
                        }
                        return entry.isTombstone();
                    }))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("cannot be purged")
                    .hasMessageContaining("No space left on device")
                    .hasMessageContaining("until the next purge");

            assertThat(store.problems()).isEmpty();
            put(store, 100);
            assertNothingLost(store);
            disk.heal();
            listener.assertMatches(store);
            long left = dead(store);
            assertThat(left).isBetween(1L, 19_000L);
            assertThat(store.purge(Entry::isTombstone)).isEqualTo(left);
            listener.assertMatches(store);
            assertThat(dead(store)).isZero();
            assertNothingLost(store);
        }
        try (MvStore store = open(MvStoreOptions.defaults())) {
            assertThat(dead(store)).isZero();
            assertNothingLost(store);
        }
    }

    @Test
    void removalsOfAFailedPurgeAreReportedAfterReopen() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, 100);
            applyDead(store, 0, 6000);
            RecordingListener listener = new RecordingListener().begin(store);
            store.settle();
            disk.failWritesWhenDone(FailingDisk::isMap);
            disk.failOpens(FailingDisk::isMap);
            assertThatThrownBy(() -> store.purge(Entry::isTombstone)).isInstanceOf(StoreException.class);
            await("it takes no writes", () -> !store.problems().isEmpty());

            disk.heal();
            awaitWritable(store);

            assertThat(dead(store)).as("what is not in the file any more").isLessThan(6000);
            listener.assertMatches(store);
            store.purge(Entry::isTombstone);
            listener.assertMatches(store);
            assertNothingLost(store);
        }
    }

    @Test
    void readsDuringAFailedPurgeAreNotCached() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            applyDead(store, 0, 6000);
            store.settle();
            disk.failWrites(FailingDisk::isMap);
            disk.failOpens(FailingDisk::isMap);
            assertThatThrownBy(() -> store.purge(Entry::isTombstone)).isInstanceOf(StoreException.class);
            // The file cannot be opened again yet: reads show what was in memory when the write failed, or fail.
            int shown = 0;
            for (int i = 0; i < 6000; i++) {
                try {
                    store.get(deadKey(i));
                    shown++;
                } catch (StoreException e) {
                    assertThat(e).hasMessageContaining("data.mv");
                }
            }
            assertThat(shown).isPositive();

            disk.heal();
            awaitWritable(store);

            for (int i = 0; i < 6000; i++) {
                Key key = deadKey(i);
                List<Entry> scanned = new ArrayList<>();
                try (EntryCursor cursor = store.scan(KeyRange.between(key, deadKey(i + 1)))) {
                    cursor.forEachRemaining(scanned::add);
                }
                assertThat(store.get(key)).isEqualTo(scanned.stream().findFirst());
            }
        }
    }

    @Test
    void aPurgeEndsThatFailsWithoutTheMemoryToSayWhy() throws Exception {
        // Not closed if this fails: a close waits for the purge.
        MvStore store = open(MvStoreOptions.defaults());
        put(store, 100);
        applyDead(store, 0, 6000);
        store.settle();
        disk.failNextLookWith(new OutOfMemoryError("Java heap space, says this test"));
        disk.failWrites(FailingDisk::isMap);

        CompletableFuture<Long> purge = new CompletableFuture<>();
        Thread purging = new Thread(() -> purge.completeAsync(() -> store.purge(Entry::isTombstone), Runnable::run));
        purging.setDaemon(true);
        purging.start();

        assertThatThrownBy(() -> purge.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(StoreException.class);
        disk.heal();
        awaitWritable(store);
        assertThat(store.purge(Entry::isTombstone)).isEqualTo(6000);
        assertNothingLost(store);
        store.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void listenersMatchTheStoreAfterAnyPurgeFault(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        try (MvStore store = open(small(Durability.OS))) {
            RecordingListener listener = new RecordingListener().begin(store);
            for (int round = 0; round < 8; round++) {
                put(store, 200);
                applyDead(store, 0, 6000);
                store.settle();
                int percent = 1 + random.nextInt(60);
                SplittableRandom dice = random.split();
                disk.failWrites(path -> {
                    synchronized (dice) {
                        return FailingDisk.isMap(path) && dice.nextInt(100) < percent;
                    }
                });
                try {
                    store.purge(Entry::isTombstone);
                } catch (StoreException e) {
                    assertThat(e).hasMessageContaining("No space left on device");
                }
                if (random.nextBoolean()) {
                    // Somebody begins to listen when the file has perhaps been opened again.
                    listener = beginAgain(store);
                }
                disk.heal();
                awaitWritable(store);
                listener.assertMatches(store);
                assertNothingLost(store);
            }
        }
    }

    @Test
    void writesDuringAPurgeAreMergedBetweenSteps() throws Exception {
        List<Boolean> added = new CopyOnWriteArrayList<>();
        try (MvStore store = open(small(Durability.OS))) {
            applyDead(store, 0, 20_000);
            store.settle();
            try (EntryCursor held = store.follow(new ContentListener() {
                @Override
                public void added(Entry entry) {
                    added.add(true);
                }

                @Override
                public void removed(Entry entry) {
                    added.add(false);
                }
            })) {
                assertThat(held.hasNext()).isTrue();
            }
            AtomicInteger asked = new AtomicInteger();
            long bytes = MvStoreOptions.MIN_MEMTABLE_BYTES * 3 / 2;

            store.purge(entry -> {
                if (asked.incrementAndGet() == 100) {
                    // More than one table takes; they may wait until this step has ended.
                    CompletableFuture.runAsync(() -> put(store, (int) (bytes / 300)))
                            .join();
                }
                return entry.isTombstone();
            });

            assertThat(added.indexOf(true)).isBetween(0, added.lastIndexOf(false));
            assertThat(dead(store)).isZero();
            assertNothingLost(store);
        }
    }

    @Test
    void aStoreThatIsClosedDoesNotWaitForAPurge() throws Exception {
        MvStore store = open(MvStoreOptions.defaults());
        applyDead(store, 0, 20_000);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Thread closing = new Thread(store::close);

        assertThatThrownBy(() -> store.purge(entry -> {
                    if (asked.incrementAndGet() == 5000) {
                        closing.start();
                        awaitUninterruptibly(ended);
                    }
                    return entry.isTombstone();
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("closing");
        ended.countDown();
        closing.join();

        try (MvStore again = open(MvStoreOptions.defaults())) {
            assertThat(dead(again)).isPositive();
            assertThat(again.purge(Entry::isTombstone)).isPositive();
        }
    }

    @Test
    void listenerAfterAFailedMergeReceivesEveryChange() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 2000);
            EntryCursor unread = store.follow(new RecordingListener());
            disk.failWrites(FailingDisk::isMap);
            putUntilRefused(store);
            unread.close();

            RecordingListener listener = beginAgain(store);

            disk.heal();
            awaitWritable(store);
            put(store, 2000);
            listener.assertMatches(store);
        }
    }
}
