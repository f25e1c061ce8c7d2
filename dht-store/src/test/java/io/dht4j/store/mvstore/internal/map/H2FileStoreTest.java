package io.dht4j.store.mvstore.internal.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.mvstore.internal.disk.Fsync;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.h2.mvstore.FileStore;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.RandomAccessStore;
import org.h2.mvstore.SFChunk;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The internals of H2 that {@link H2FileStore} relies on. When a test fails after an update of H2, read the list in its
 * comment, compare it with the new version of {@code FileStore} and {@code RandomAccessStore}, and adapt both classes.
 */
class H2FileStoreTest {

    private static final String REVIEWED = "h2-mvstore-2.4.240.jar";

    @TempDir
    Path directory;

    private final RecordingDisk disk = new RecordingDisk();

    /** A write, or an fsync, which has no bytes. */
    private record Call(long offset, byte[] bytes) {
        boolean isSync() {
            return bytes.length == 0;
        }

        String text() {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }

    /** Records the calls for the map's file. */
    private static final class RecordingDisk extends Disk {
        final List<Call> calls = new ArrayList<>();

        @Override
        public void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
            calls.add(new Call(file.getFilePointer(), Arrays.copyOfRange(bytes, from, from + length)));
            super.write(file, path, bytes, from, length);
        }

        @Override
        public void sync(RandomAccessFile file, Path path) {
            calls.add(new Call(0, new byte[0]));
        }
    }

    private Path file() {
        return directory.resolve("data.mv");
    }

    private MapFile open(boolean isForced) {
        MapFile map = MapFile.open(file(), disk, new Fsync(disk), isForced, 8 << 20);
        map.fileStore.setRetentionTime(0);
        return map;
    }

    private static long put(MapFile map, int from, int to, long version) {
        SplittableRandom random = new SplittableRandom(version);
        for (int i = from; i < to; i++) {
            byte[] value = new byte[1000];
            random.nextBytes(value);
            map.entries.put(Key.of("key-%05d".formatted(i)), new MapValue(version, false, 0, value));
        }
        return map.store.commit();
    }

    @Test
    @DisplayName("the version of H2 is the one whose internals were reviewed")
    void versionIsTheReviewedOne() {
        String jar = String.valueOf(
                MVStore.class.getProtectionDomain().getCodeSource().getLocation());
        assertThat(jar)
                .as("H2 was updated: review the internals that H2FileStore lists, then name the new version here")
                .endsWith(REVIEWED);
    }

    @Test
    void fileIsReachedThroughTheOverriddenMethodsOnly() {
        TreeSet<String> required = new TreeSet<>();
        for (Class<?> type : List.of(FileStore.class, RandomAccessStore.class)) {
            for (Method method : type.getDeclaredMethods()) {
                if (Modifier.isAbstract(method.getModifiers())) {
                    required.add(signature(method));
                } else if (type == RandomAccessStore.class) {
                    required.remove(signature(method));
                }
            }
            assertThat(Stream.of(type.getDeclaredFields()).map(Field::getType).map(Class::getPackageName))
                    .as("%s has no file of its own", type)
                    .noneMatch(name -> name.startsWith("java.nio") || name.startsWith("java.io"));
        }
        assertThat(required)
                .containsExactly("backup/1", "open/2", "open/3", "readFully/3", "truncate/1", "writeFully/3");
    }

    private static String signature(Method method) {
        return method.getName() + "/" + method.getParameterCount();
    }

    @Test
    void markOfACompleteChunkIsInItsLastSector() {
        MapFile map = open(true);
        put(map, 0, 2000, 1);
        disk.calls.clear();

        put(map, 0, 1000, 2);

        List<Call> calls = List.copyOf(disk.calls);
        map.abandon();
        int last = lastSector(calls);
        Call chunk = calls.get(last - 2);
        Call sector = calls.get(last);
        assertThat(calls.get(last - 1).isSync()).isTrue();
        assertThat(chunk.offset() % H2FileStore.BLOCK_BYTES).isZero();
        assertThat(sector.offset()).isEqualTo(chunk.offset() + chunk.bytes().length);
        assertThat((sector.offset() + sector.bytes().length) % H2FileStore.BLOCK_BYTES)
                .isZero();
        assertThat(chunk.text()).startsWith("chunk:");
        assertThat(sector.text().stripTrailing()).matches("(?s).*chunk:\\w+,len:\\w+,version:\\w+,fletcher:\\w+");
    }

    private static int lastSector(List<Call> calls) {
        for (int i = calls.size() - 1; i >= 2; i--) {
            if (calls.get(i).bytes().length == H2FileStore.SECTOR_BYTES
                    && calls.get(i - 1).isSync()
                    && calls.get(i - 2).text().startsWith("chunk:")) {
                return i;
            }
        }
        throw new AssertionError("no chunk was written in two parts with an fsync between them");
    }

    @Test
    void chunkWithoutItsLastSectorIsNotRead() throws Exception {
        MapFile map = open(true);
        put(map, 0, 2000, 1);
        disk.calls.clear();
        put(map, 0, 1000, 2);
        Call sector = disk.calls.get(lastSector(disk.calls));
        map.abandon();
        try (RandomAccessFile damaged = new RandomAccessFile(file().toFile(), "rw")) {
            damaged.seek(sector.offset());
            damaged.write(new byte[H2FileStore.SECTOR_BYTES]);
        }

        MapFile again = open(true);

        assertThat(again.entries.get(Key.of("key-00000")).version()).isEqualTo(1);
        again.abandon();
    }

    @Test
    void lengthOfAChunkIsCountedInBlocks() {
        MapFile map = open(false);
        put(map, 0, 2000, 1);
        put(map, 0, 1000, 2);

        Collection<SFChunk> chunks = map.fileStore.getRewriteCandidates();

        assertThat(chunks).hasSizeGreaterThanOrEqualTo(2);
        for (SFChunk chunk : chunks) {
            long offset = chunk.block * H2FileStore.BLOCK_BYTES;
            Call written = disk.calls.stream()
                    .filter(call -> call.offset() == offset && call.text().startsWith("chunk:"))
                    .findFirst()
                    .orElseThrow();
            long length = disk.calls.stream()
                    .filter(call -> call.offset() >= offset)
                    .dropWhile(call -> call != written)
                    .takeWhile(call -> call == written || !call.text().startsWith("chunk:"))
                    .mapToLong(call -> call.bytes().length)
                    .sum();
            assertThat(length).isEqualTo((long) chunk.len * H2FileStore.BLOCK_BYTES);
            assertThat(chunk.maxLenLive).isBetween(0L, chunk.maxLen);
        }
        map.abandon();
    }

    @Test
    void compactionChoosesAmongTheCandidates() {
        MapFile map = open(false);
        put(map, 0, 2000, 1);
        for (int version = 2; version < 6; version++) {
            put(map, 200 * version, 200 * version + 150, version);
        }
        map.store.commit();
        long before = map.fileStore.writtenBytes();

        assertThat(map.fileStore.rewrite(100, 1)).isFalse();
        assertThat(map.fileStore.getRewriteCandidates()).allMatch(chunk -> chunk.maxLenLive <= 1);
        assertThat(map.fileStore.writtenBytes()).isEqualTo(before);

        assertThat(map.fileStore.rewrite(100, 16 << 20)).isTrue();
        map.store.commit();
        assertThat(map.fileStore.writtenBytes()).isGreaterThan(before);
        map.close();
    }
}
