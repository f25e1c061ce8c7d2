package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.StoreProblem;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a store does while its disk fails. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MvStoreFaultsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final FailingDisk disk = new FailingDisk(20_261_122);
    private final Map<Key, Entry> acknowledged = new TreeMap<>();
    private long next = 1;

    /** Tables so small that they are merged all the time. */
    private static MvStoreOptions small(Durability durability) {
        return MvStoreOptions.defaults()
                .withDurability(durability)
                .withMemtableBytes(MvStoreOptions.MIN_MEMTABLE_BYTES)
                .withCacheBytes(MvStoreOptions.MIN_CACHE_BYTES);
    }

    private MvStore open(MvStoreOptions options) {
        return MvStore.open(directory, options, disk);
    }

    private void put(MvStore store) {
        long number = next++;
        Entry entry = Entry.value(
                Key.of("key-" + number % 500),
                new Version(number),
                ("value " + number + "x".repeat(300)).getBytes(StandardCharsets.UTF_8),
                Entry.NEVER);
        store.apply(List.of(entry));
        acknowledged.put(entry.key(), entry);
    }

    private void put(MvStore store, int count) {
        for (int i = 0; i < count; i++) {
            put(store);
        }
    }

    /** What a listener has been told of: what was there, with what came and without what went. */
    private static final class Told implements ContentListener {
        private final Map<Entry, Integer> counts = new ConcurrentHashMap<>();

        @Override
        public void added(Entry entry) {
            counts.merge(entry, 1, Integer::sum);
        }

        @Override
        public void removed(Entry entry) {
            counts.merge(entry, -1, Integer::sum);
        }

        Told begin(MvStore store) {
            try (EntryCursor held = store.follow(this)) {
                held.forEachRemaining(this::added);
            }
            return this;
        }

        void assertTells(MvStore store) {
            store.settle();
            Map<Entry, Integer> shown = new HashMap<>();
            try (EntryCursor cursor = store.scan(KeyRange.all())) {
                cursor.forEachRemaining(entry -> shown.put(entry, 1));
            }
            counts.values().removeIf(count -> count == 0);
            assertThat(counts).isEqualTo(shown);
        }
    }

    /** The same while the store may open its file anew, which ends what is being read. */
    private static Told beginAnew(MvStore store) throws InterruptedException {
        Told[] told = new Told[1];
        await("somebody listens", () -> {
            try {
                told[0] = new Told().begin(store);
                return true;
            } catch (StoreException e) {
                return false;
            }
        });
        return told[0];
    }

    private static void applyDead(MvStore store, int from, int to) {
        List<Entry> dead = new ArrayList<>();
        for (int i = from; i < to; i++) {
            dead.add(Entry.tombstone(Key.of(String.format(Locale.ROOT, "dead-%06d", i)), new Version(1)));
        }
        store.apply(dead);
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

    private void putUntilRefused(MvStore store) {
        assertThatThrownBy(() -> put(store, 100_000)).isInstanceOf(StoreException.class);
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** Everything that was acknowledged is there; of a write that failed, what it wrote may be there too. */
    private void assertNothingLost(MvStore store) {
        Map<Key, Entry> shown = new TreeMap<>();
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            cursor.forEachRemaining(entry -> shown.put(entry.key(), entry));
        }
        acknowledged.forEach((key, entry) -> {
            assertThat(shown.get(key)).as("%s", key).isNotNull();
            assertThat(shown.get(key).version()).isGreaterThanOrEqualTo(entry.version());
            assertThat(store.get(key)).contains(shown.get(key));
        });
    }

    private static void assertRefusesWrites(MvStore store, String why) {
        assertThatThrownBy(() -> store.apply(List.of(Entry.tombstone(Key.of("refused"), new Version(1)))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("refuses writes")
                .hasMessageContaining(why);
        assertThatThrownBy(() -> store.purge(new Version(1), 0)).isInstanceOf(StoreException.class);
        assertThat(store.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(StoreProblem.Kind.WRITES_REFUSED);
            assertThat(problem.message()).contains(why);
            assertThat(problem.sinceMillis()).isBetween(1L, System.currentTimeMillis());
        });
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void a_log_on_a_full_disk_takes_nothing_until_there_is_room_again(Durability durability) throws Exception {
        try (MvStore store = open(small(durability))) {
            put(store, 1000);
            disk.failWrites(path -> true);
            putUntilRefused(store);
            assertRefusesWrites(store, "No space left on device");
            assertNothingLost(store);

            disk.heal();
            await("it takes writes again", () -> store.problems().isEmpty());
            put(store, 1000);
            assertNothingLost(store);
        }
        try (MvStore store = open(small(durability))) {
            assertNothingLost(store);
            assertThat(store.get(Key.of("refused"))).isEmpty();
        }
    }

    @Test
    void a_map_that_cannot_be_written_stops_the_writes_and_not_the_reads() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 2000);
            disk.failWrites(FailingDisk::isMap);
            putUntilRefused(store);
            assertRefusesWrites(store, "data.mv");
            assertNothingLost(store);
            assertThat(store.entries()).isEqualTo(acknowledged.size());

            disk.heal();
            await("it takes writes again", () -> store.problems().isEmpty());
            put(store, 2000);
            assertNothingLost(store);
        }
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
        }
    }

    @Test
    void a_process_that_ends_while_the_map_cannot_be_written_loses_nothing() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 2000);
            disk.failWrites(FailingDisk::isMap);
            putUntilRefused(store);
        }
        disk.heal();
        try (MvStore store = open(small(Durability.OS))) {
            assertThat(store.problems()).isEmpty();
            assertNothingLost(store);
        }
    }

    @Test
    void a_read_only_disk_stops_the_writes_until_it_can_be_written_again() throws Exception {
        MvStore stopped = open(small(Durability.OS));
        put(stopped, 1000);
        disk.makeReadOnly();
        putUntilRefused(stopped);
        assertThat(stopped.problems()).hasSize(1);
        assertNothingLost(stopped);
        assertThatThrownBy(stopped::close).isInstanceOf(StoreException.class);
        disk.heal();
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
            put(store, 100);
        }
    }

    @Test
    void a_log_that_could_not_be_forced_to_the_disk_is_not_written_again_before_a_restart() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults().withDurability(Durability.FSYNC))) {
            put(store, 10);
            disk.failSyncs(FailingDisk::isLog);
            Entry lost = Entry.tombstone(Key.of("not acknowledged"), new Version(1));
            assertThatThrownBy(() -> store.apply(List.of(lost)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("could not be forced to the disk");
            disk.heal();
            assertThat(store.get(lost.key())).isEmpty();
            // A second fsync would succeed, and mean nothing.
            assertRefusesWrites(store, "until it is opened again");
            assertNothingLost(store);
        }
        try (MvStore store = open(MvStoreOptions.defaults().withDurability(Durability.FSYNC))) {
            assertNothingLost(store);
            put(store, 10);
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void a_map_that_could_not_be_forced_to_the_disk_is_never_believed_again(Durability durability) throws Exception {
        try (MvStore store = open(small(durability))) {
            put(store, 1000);
            disk.failSyncs(FailingDisk::isMap);
            putUntilRefused(store);
            disk.heal();
            assertRefusesWrites(store, "--rebuild");
            assertNothingLost(store);
        }
        assertThatThrownBy(() -> open(small(durability)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("UNTRUSTED")
                .hasMessageContaining("data.mv")
                .hasMessageContaining("--rebuild");
        // Whoever has no replicas may look at what there is.
        Files.delete(directory.resolve("UNTRUSTED"));
        try (MvStore store = open(small(durability))) {
            assertNothingLost(store);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whatever_fails_and_when_nothing_that_was_acknowledged_is_lost(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Durability durability = random.nextBoolean() ? Durability.OS : Durability.FSYNC;
        for (int life = 0; life < 4; life++) {
            try (MvStore store = open(small(durability))) {
                assertNothingLost(store);
                int begins = random.nextInt(600);
                int percent = 1 + random.nextInt(100);
                SplittableRandom dice = random.split();
                for (int i = 0; i < 1500; i++) {
                    if (i == begins) {
                        disk.failWrites(path -> {
                            synchronized (dice) {
                                return dice.nextInt(100) < percent;
                            }
                        });
                    }
                    try {
                        put(store);
                    } catch (StoreException e) {
                        assertThat(e).hasMessageContaining("No space left on device");
                    }
                }
                assertNothingLost(store);
            }
            disk.heal();
        }
    }

    @Test
    void a_disk_that_is_full_in_the_middle_of_a_purge_ends_the_purge_and_not_the_writes() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, 100);
            applyDead(store, 0, 20_000);
            Told told = new Told().begin(store);
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
            told.assertTells(store);
            long left = dead(store);
            assertThat(left).isBetween(1L, 19_000L);
            assertThat(store.purge(Entry::isTombstone)).isEqualTo(left);
            told.assertTells(store);
            assertThat(dead(store)).isZero();
            assertNothingLost(store);
        }
        try (MvStore store = open(MvStoreOptions.defaults())) {
            assertThat(dead(store)).isZero();
            assertNothingLost(store);
        }
    }

    @Test
    void what_a_purge_removed_that_failed_is_told_as_soon_as_the_file_can_be_opened() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, 100);
            applyDead(store, 0, 6000);
            Told told = new Told().begin(store);
            store.settle();
            disk.failWritesWhenDone(FailingDisk::isMap);
            disk.failOpens(FailingDisk::isMap);
            assertThatThrownBy(() -> store.purge(Entry::isTombstone)).isInstanceOf(StoreException.class);
            await("it takes no writes", () -> !store.problems().isEmpty());

            disk.heal();
            await("it takes writes again", () -> store.problems().isEmpty());

            assertThat(dead(store)).as("what is not in the file any more").isLessThan(6000);
            told.assertTells(store);
            store.purge(Entry::isTombstone);
            told.assertTells(store);
            assertNothingLost(store);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatever_fails_while_it_purges_listeners_are_told_what_is_there(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        try (MvStore store = open(small(Durability.OS))) {
            Told told = new Told().begin(store);
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
                    // Somebody begins to listen when the file has perhaps been opened anew.
                    told = beginAnew(store);
                }
                disk.heal();
                await("it takes writes again", () -> store.problems().isEmpty());
                told.assertTells(store);
                assertNothingLost(store);
            }
        }
    }

    @Test
    void what_is_written_while_it_purges_is_merged_between_the_steps() throws Exception {
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
    void a_store_that_is_closed_does_not_wait_for_a_purge() throws Exception {
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

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void who_begins_to_listen_after_a_merge_has_failed_is_told_everything() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 2000);
            EntryCursor unread = store.follow(new Told());
            disk.failWrites(FailingDisk::isMap);
            putUntilRefused(store);
            unread.close();

            Told told = beginAnew(store);

            disk.heal();
            await("it takes writes again", () -> store.problems().isEmpty());
            put(store, 2000);
            told.assertTells(store);
        }
    }

    @Test
    void a_flipped_byte_that_a_read_finds_fails_that_read_and_is_told() throws IOException {
        for (int round = 0; round < 3; round++) {
            try (MvStore store = open(MvStoreOptions.defaults())) {
                put(store, 500);
                store.purge(new Version(0), 0);
            }
        }
        Path map = directory.resolve("data.mv");
        List<Key> failed = new ArrayList<>();
        MvStoreOptions fromDisk = MvStoreOptions.defaults()
                .withCacheBytes(MvStoreOptions.MIN_CACHE_BYTES)
                .withEntryCacheBytes(0);
        try (MvStore store = open(fromDisk)) {
            damageEveryPage(map);
            for (Map.Entry<Key, Entry> written : acknowledged.entrySet()) {
                try {
                    assertThat(store.get(written.getKey())).contains(written.getValue());
                } catch (StoreException e) {
                    assertThat(e).hasMessageContaining("data.mv").hasMessageContaining("--rebuild");
                    failed.add(written.getKey());
                }
            }
            assertThat(failed).isNotEmpty();
            assertThat(store.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.kind()).isEqualTo(StoreProblem.Kind.DAMAGED_DATA);
                assertThat(problem.message()).contains("data.mv");
            });
            put(store, 1);
        }
    }

    @Test
    void damage_is_reported_as_soon_as_what_is_held_is_read_at_the_start() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, 500);
            store.settle();
        }
        MvStoreOptions fromDisk = MvStoreOptions.defaults()
                .withCacheBytes(MvStoreOptions.MIN_CACHE_BYTES)
                .withEntryCacheBytes(0);
        try (MvStore store = open(fromDisk)) {
            damageEveryPage(directory.resolve("data.mv"));
            assertThat(store.problems()).isEmpty();

            assertThatThrownBy(() -> new Told().begin(store))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("data.mv");

            assertThat(store.problems())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.kind()).isEqualTo(StoreProblem.Kind.DAMAGED_DATA));
        }
    }

    private static void damageEveryPage(Path map) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(map.toFile(), "rw")) {
            // Behind the two headers, where the chunks are.
            for (long position = 8192 + 100; position < file.length(); position += 1500) {
                file.seek(position);
                int old = file.read();
                file.seek(position);
                file.write(old ^ 0x40);
            }
        }
    }

    /** A map whose writes fail, and then take until they are let go before whoever writes learns of it. */
    private static final class SlowlyFailingDisk extends Disk {

        private static final int HANDLES = 4;

        private final AtomicInteger closed = new AtomicInteger();
        private final CountDownLatch closing = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);
        private volatile boolean failing;

        @Override
        RandomAccessFile open(Path path) throws IOException {
            if (!FailingDisk.isMap(path)) {
                return super.open(path);
            }
            return new RandomAccessFile(path.toFile(), "rw") {
                @Override
                public void close() throws IOException {
                    super.close();
                    if (failing && closed.incrementAndGet() == HANDLES) {
                        closing.countDown();
                        assertThatCode(() -> letGo.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                                .doesNotThrowAnyException();
                    }
                }
            };
        }

        @Override
        void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
            if (failing && FailingDisk.isMap(path)) {
                throw new IOException("No space left on device");
            }
            super.write(file, path, bytes, from, length);
        }
    }

    @Test
    void a_read_beside_a_write_that_fails_is_no_sign_of_damage() throws Exception {
        SlowlyFailingDisk slow = new SlowlyFailingDisk();
        try (MvStore store = MvStore.open(directory, small(Durability.OS), slow)) {
            put(store, 2000);
            store.settle();
        }
        // Anew, so that little of the map is in memory.
        try (MvStore store = MvStore.open(directory, small(Durability.OS), slow)) {
            slow.failing = true;
            store.apply(List.of(Entry.tombstone(Key.of("a"), new Version(1))));
            Thread merge =
                    new Thread(() -> assertThatThrownBy(store::settle).isInstanceOf(StoreException.class), "merge");
            merge.start();
            assertThat(slow.closing.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();

            CompletableFuture<Optional<Entry>> read = new CompletableFuture<>();
            Thread reader = new Thread(
                    () -> {
                        try {
                            read.complete(store.get(Key.of("key-499")));
                        } catch (RuntimeException e) {
                            read.completeExceptionally(e);
                        }
                    },
                    "reader");
            reader.start();
            await("it has read, or waits", () -> read.isDone() || reader.getState() == Thread.State.WAITING);
            slow.failing = false;
            slow.letGo.countDown();

            assertThat(read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).contains(acknowledged.get(Key.of("key-499")));
            merge.join(PATIENCE.toMillis());
            await("it takes writes again", () -> store.problems().isEmpty());
            assertNothingLost(store);
        }
    }

    static List<Error> errors() {
        return List.of(
                new AssertionError("as this test wants it"), new OutOfMemoryError("Java heap space, says this test"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void an_error_of_the_process_while_merging_is_called_by_its_name_and_not_damage(Error error) {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 100);
            store.settle();
            store.follow(new ContentListener() {
                        @Override
                        public void added(Entry entry) {
                            throw error;
                        }

                        @Override
                        public void removed(Entry entry) {
                            // what replaces it is told next
                        }
                    })
                    .close();
            // One only, so that nothing is merged before it is asked for.
            put(store);
            assertThatThrownBy(store::settle).isInstanceOf(StoreException.class);

            assertRefusesWrites(store, error.toString());
            assertThat(store.problems().get(0).message())
                    .contains("data.mv", "start again")
                    .doesNotContain("--rebuild");
            assertNothingLost(store);
        }
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
        }
    }
}
