package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.spi.StoreException;
import io.dht4j.store.mvstore.internal.disk.UntrustedMarker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A map whose fsync has failed is never trusted again, even without memory to write the marker. */
class MvStoreUnforcedMapTest extends MvStoreFaults {

    private static final Error NO_MEMORY = new OutOfMemoryError("Java heap space, says this test");

    /** The first attempts to write the marker lack memory. */
    private void failMarkerWrites(int attempts) {
        AtomicInteger left = new AtomicInteger(attempts);
        disk.failWritesWith(
                NO_MEMORY,
                path -> String.valueOf(path.getFileName()).startsWith(UntrustedMarker.FILE)
                        && left.getAndDecrement() > 0);
    }

    @Test
    void closeWritesTheMarkerDespiteMemoryShortage() {
        MvStore store = open(MvStoreOptions.defaults());
        put(store, 10);
        store.settle();
        disk.failSyncsAndSayingSoWith(NO_MEMORY, FailingDisk::isMap);
        failMarkerWrites(3);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class).hasMessageContaining("Rebuild.begin");
        disk.heal();
        assertThatThrownBy(() -> open(MvStoreOptions.defaults())).hasMessageContaining("UNTRUSTED");
    }

    @Test
    void failedOpenWritesTheMarkerAndFreesTheLock() throws Exception {
        // As after a process that ended before it had deleted a merged segment: the next start forces the map first.
        Path merged = directory.resolve("log-1.seg");
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, 10);
            byte[] log = Files.readAllBytes(merged);
            store.settle();
            assertThat(merged).doesNotExist();
            Files.write(merged, log);
        }
        disk.failSyncsAndSayingSoWith(NO_MEMORY, FailingDisk::isMap);
        failMarkerWrites(3);
        assertThatThrownBy(() -> open(MvStoreOptions.defaults())).isInstanceOf(StoreException.class);
        disk.heal();
        assertThatThrownBy(() -> open(MvStoreOptions.defaults())).hasMessageContaining("UNTRUSTED");
    }

    @Test
    void waitingWriterIsRefusedWithoutMemoryForTheReport() throws Exception {
        MvStore store = open(small(Durability.FSYNC));
        AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();
        Thread writer = new Thread(() -> refused.set(catchThrowable(() -> put(store, 100_000))), "writer");
        disk.failSyncsAndSayingSoWith(NO_MEMORY, path -> FailingDisk.isMap(path) && waitsForRoom(writer));
        failMarkerWrites(Integer.MAX_VALUE);

        writer.start();
        writer.join(PATIENCE.toMillis());

        assertThat(refused.get()).isInstanceOf(StoreException.class);
        disk.heal();
        store.close();
        assertThatThrownBy(() -> open(MvStoreOptions.defaults())).hasMessageContaining("UNTRUSTED");
    }

    /** Returns once the thread waits until a table is merged. */
    private static boolean waitsForRoom(Thread writer) {
        try {
            await(
                    "the writer waits for room",
                    () -> Arrays.stream(writer.getStackTrace())
                            .anyMatch(frame -> frame.getMethodName().matches("awaitRoom|awaitBytes")));
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the merging thread", e);
        }
        return true;
    }

    @Test
    @Tag("full")
    void storeClosesWithoutMemoryForTheMarker() throws Exception {
        MvStore store = open(small(Durability.FSYNC));
        put(store, 1000);
        disk.failSyncsAndSayingSoWith(NO_MEMORY, FailingDisk::isMap);
        failMarkerWrites(Integer.MAX_VALUE);
        putUntilRefused(store);
        assertThatThrownBy(store::close)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("do not start this node again without Rebuild.begin");
        disk.heal();
        // The lock is released.
        open(MvStoreOptions.defaults()).close();
    }
}
