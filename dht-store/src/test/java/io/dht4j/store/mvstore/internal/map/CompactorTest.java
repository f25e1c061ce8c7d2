package io.dht4j.store.mvstore.internal.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.store.mvstore.internal.disk.Fsync;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the file of the map gets smaller again, and in which steps. */
@Tag("full")
class CompactorTest {

    private static final int FILE_BYTES = 32 << 20;

    /** Less than a chunk, more than a page. */
    private static final int BLOCK_BYTES = 128 << 10;

    @TempDir
    Path directory;

    private final MapBuffers disk = new MapBuffers();
    private MapFile map;

    @BeforeEach
    void open() {
        map = MapFile.open(directory.resolve("data.mv"), disk, new Fsync(disk), false, 8 << 20);
        map.fileStore.setRetentionTime(0);
    }

    @AfterEach
    void close() {
        map.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 16 << 10})
    void settlingWritesOutOfFewBuffersAndSoMuchAtATime(int valueBytes) {
        int count = FILE_BYTES / (valueBytes + 100);
        makeWaste(count, valueBytes);
        long before = map.fileStore.size();
        Set<byte[]> buffers = Collections.newSetFromMap(new IdentityHashMap<>());
        AtomicLong steps = new AtomicLong();
        for (long taken = -1; taken != steps.get(); ) {
            taken = steps.get();
            long written = disk.written.get();
            disk.seen.clear();
            map.compactor.settle(began -> {
                // What is moved into gaps comes after it, out of what it was read into.
                buffers.addAll(disk.seen);
                steps.addAndGet(disk.seen.isEmpty() ? 0 : 1);
                assertThat(buffers.size()).isLessThanOrEqualTo(8);
                return true;
            });
            // A step more than what is meant to be rewritten, and what is moved into gaps, or out of the way of that
            // before.
            assertThat(disk.written.get() - written).isLessThan(100 << 20);
        }
        assertThat(map.fileStore.size()).isLessThan(before).isLessThan(2L * FILE_BYTES);
        // MVStore keeps no larger one for the next commit.
        assertThat(buffers.stream().mapToInt(buffer -> buffer.length))
                .isNotEmpty()
                .allMatch(length -> length <= 4 << 20);
        assertThat(map.entries.sizeAsLong()).isEqualTo(count);
    }

    @Test
    void aStepUnderWritesRewritesOneChunkAndMovesNone() {
        makeWaste(FILE_BYTES / 1000, 900);
        long size = map.fileStore.size();
        for (int step = 0; step < 20; step++) {
            long written = disk.written.get();
            map.compactor.settleUnderWrites();
            assertThat(disk.written.get() - written).isLessThan(2L * MapFile.CHUNK_BYTES);
        }
        assertThat(map.fileStore.size()).isLessThan(size + 8L * MapFile.CHUNK_BYTES);
        assertThat(map.fileStore.getChunksFillRate()).isGreaterThan(70);
    }

    @Test
    void settlingEndsWhereSomethingMoreUrgentWaits() {
        makeWaste(FILE_BYTES / 1000, 900);
        AtomicLong steps = new AtomicLong();
        map.compactor.settle(began -> steps.incrementAndGet() < 2);
        assertThat(steps).hasValue(2);
    }

    @Test
    void whatIsRewrittenDuringWritesIsAShareOfWhatTheyWrite() {
        int count = FILE_BYTES / 1000;
        makeWaste(count, 900);
        map.close();
        open();
        map.compactor.rewriteForWrites();
        assertThat(map.fileStore.writtenBytes()).isZero();

        put(count / 2, 900, 1, 6);
        long written = map.fileStore.writtenBytes();
        map.compactor.rewriteForWrites();

        // Ends with the step that pays for all of it.
        assertThat(map.fileStore.writtenBytes() - written)
                .isBetween(written / 8, written / 4 + 2 * MapFile.CHUNK_BYTES);
        assertThat(map.entries.sizeAsLong()).isEqualTo(count);
    }

    /** Most of what is in the file is outdated after it, here and there in nearly every chunk. */
    private void makeWaste(int count, int valueBytes) {
        put(count, valueBytes, 1, 1);
        for (int version = 2; version <= 5; version++) {
            put(count, valueBytes, 2, version);
        }
    }

    /** Writes some of the blocks of neighbouring keys, one of so many. */
    private void put(int count, int valueBytes, int oneOf, long version) {
        SplittableRandom random = new SplittableRandom(version);
        byte[] value = new byte[valueBytes];
        random.nextBytes(value);
        int block = BLOCK_BYTES / valueBytes;
        map.writing(file -> {
            for (int first = 0; first < count; first += block) {
                if (random.nextInt(oneOf) == 0) {
                    for (int i = first; i < Math.min(count, first + block); i++) {
                        put(file, i, version, value.clone());
                    }
                }
            }
            return file.store.commit();
        });
    }

    private static void put(MapFile file, int number, long version, byte[] value) {
        Key key = Key.of("key-%08d".formatted(number));
        file.entries.put(key, MapValue.of(Entry.value(key, new Version(version), value, Entry.NEVER)));
        file.commitIfLarge();
    }
}
