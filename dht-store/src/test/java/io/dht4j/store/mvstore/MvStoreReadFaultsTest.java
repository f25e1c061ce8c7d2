package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.StoreProblem;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a store says when it reads damaged pages, and that it does not take a failed write for damage. */
class MvStoreReadFaultsTest extends MvStoreFaults {

    /** With little of the map in memory. */
    private static final MvStoreOptions FROM_DISK = MvStoreOptions.defaults()
            .withCacheBytes(MvStoreOptions.MIN_CACHE_BYTES)
            .withEntryCacheBytes(0);

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

    @Test
    void aFlippedByteThatAReadFindsFailsThatReadAndIsTold() throws IOException {
        for (int round = 0; round < 3; round++) {
            try (MvStore store = open(MvStoreOptions.defaults())) {
                put(store, 500);
                store.purge(new Version(0), 0);
            }
        }
        Path map = directory.resolve("data.mv");
        List<Key> failed = new ArrayList<>();
        try (MvStore store = open(FROM_DISK)) {
            damageEveryPage(map);
            for (Map.Entry<Key, Entry> written : acknowledged.entrySet()) {
                try {
                    assertThat(store.get(written.getKey())).contains(written.getValue());
                } catch (StoreException e) {
                    assertThat(e).hasMessageContaining("data.mv").hasMessageContaining("Rebuild.begin");
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
    void damageIsReportedAsSoonAsWhatIsHeldIsReadAtTheStart() throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, 500);
            store.settle();
        }
        try (MvStore store = open(FROM_DISK)) {
            damageEveryPage(directory.resolve("data.mv"));
            assertThat(store.problems()).isEmpty();

            assertThatThrownBy(() -> new RecordingListener().begin(store))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("data.mv");

            assertThat(store.problems())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.kind()).isEqualTo(StoreProblem.Kind.DAMAGED_DATA));
        }
    }

    /** A map whose writes fail, but only when the test releases them, so that the writer learns of it late. */
    private static final class SlowlyFailingDisk extends Disk {

        private static final int HANDLES = 4;

        private final AtomicInteger closed = new AtomicInteger();
        private final CountDownLatch closing = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);
        private volatile boolean failing;

        @Override
        public RandomAccessFile open(Path path) throws IOException {
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
        public void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
            if (failing && FailingDisk.isMap(path)) {
                throw new IOException("No space left on device");
            }
            super.write(file, path, bytes, from, length);
        }
    }

    @Test
    void aReadBesideAWriteThatFailsIsNoSignOfDamage() throws Exception {
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
            awaitWritable(store);
            assertNothingLost(store);
        }
    }
}
