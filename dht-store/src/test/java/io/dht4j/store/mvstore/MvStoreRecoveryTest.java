package io.dht4j.store.mvstore;

import static io.dht4j.store.mvstore.MvStoreDamageTest.flip;
import static io.dht4j.store.mvstore.MvStoreDamageTest.scanned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.log.LogFormat;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.testkit.SearchEffort;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of files that are not as they were written. */
class MvStoreRecoveryTest {

    private static final long SEED = 20_261_122;

    @TempDir
    Path temporary;

    private Path directory;
    private int copies;

    @BeforeEach
    void nameTheDirectory() {
        directory = temporary.resolve("store");
    }

    private static MvStore open(Path directory) {
        return MvStore.open(directory, MvStoreOptions.defaults());
    }

    private static Entry entry(int number) {
        return Entry.value(
                Key.of("key-" + number),
                new Version(1 + number),
                ("value " + number).getBytes(StandardCharsets.UTF_8),
                Entry.NEVER);
    }

    /** Leaves the files as a process does that is killed. */
    private void forgetThatItWasClosed() throws IOException {
        Files.delete(directory.resolve("CLOSED"));
    }

    /** Three calls, three frames, in the log only. */
    private void writeThreeFrames() throws IOException {
        try (MvStore store = open(directory)) {
            for (int i = 0; i < 3; i++) {
                store.apply(List.of(entry(i)));
            }
        }
        forgetThatItWasClosed();
    }

    private static Path lastSegment(Path directory) throws IOException {
        try (StoreDirectory opened = StoreDirectory.open(directory, Disk.REAL)) {
            return opened.segmentFile(opened.segments().lastKey());
        }
    }

    /** A copy to damage. */
    private Path copy() throws IOException {
        Path copy = Files.createDirectory(temporary.resolve("copy-" + copies++));
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private static void delete(Path copy) throws IOException {
        try (Stream<Path> files = Files.list(copy)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(copy);
    }

    private static int frameBytes(Entry entry) {
        return LogFormat.FRAME_HEADER_BYTES + (int) LogFormat.recordBytes(entry) + LogFormat.FRAME_TRAILER_BYTES;
    }

    @Test
    void aLogThatEndsAnywhereInTheLastFrameLosesThatFrameOnly() throws IOException {
        writeThreeFrames();
        String segment = lastSegment(directory).getFileName().toString();
        int length = (int) Files.size(directory.resolve(segment));
        int lastFrame = length - frameBytes(entry(2));
        for (int end = lastFrame; end < length; end++) {
            Path copy = copy();
            try (RandomAccessFile file =
                    new RandomAccessFile(copy.resolve(segment).toFile(), "rw")) {
                file.setLength(end);
            }
            try (MvStore store = open(copy)) {
                assertThat(scanned(store)).as("cut at %d of %d", end, length).containsExactly(entry(0), entry(1));
                store.apply(List.of(entry(7)));
            }
            try (MvStore store = open(copy)) {
                assertThat(scanned(store)).containsExactly(entry(0), entry(1), entry(7));
            }
            delete(copy);
        }
    }

    @Test
    void aLastFrameWhoseEndWasNeverWrittenIsCut() throws IOException {
        writeThreeFrames();
        String segment = lastSegment(directory).getFileName().toString();
        int length = (int) Files.size(directory.resolve(segment));
        int lastFrame = length - frameBytes(entry(2));
        for (int zeroFrom = lastFrame; zeroFrom < length - 4; zeroFrom++) {
            // Zeros in the header are no damage only if the whole header is zero.
            if (zeroFrom > lastFrame && zeroFrom < lastFrame + LogFormat.FRAME_HEADER_BYTES) {
                continue;
            }
            Path copy = copy();
            byte[] bytes = Files.readAllBytes(copy.resolve(segment));
            Arrays.fill(bytes, zeroFrom, length, (byte) 0);
            Files.write(copy.resolve(segment), bytes);
            try (MvStore store = open(copy)) {
                assertThat(scanned(store))
                        .as("zeros from %d of %d", zeroFrom, length)
                        .containsExactly(entry(0), entry(1));
            }
            delete(copy);
        }
    }

    @Test
    void aSegmentWhoseHeaderWasCutOffIsEmpty() throws IOException {
        open(directory).close();
        forgetThatItWasClosed();
        String segment = lastSegment(directory).getFileName().toString();
        for (int end = 0; end < LogFormat.SEGMENT_HEADER_BYTES; end++) {
            Path copy = copy();
            try (RandomAccessFile file =
                    new RandomAccessFile(copy.resolve(segment).toFile(), "rw")) {
                file.setLength(end);
            }
            try (MvStore store = open(copy)) {
                assertThat(scanned(store)).isEmpty();
                store.apply(List.of(entry(1)));
            }
            try (MvStore store = open(copy)) {
                assertThat(scanned(store)).containsExactly(entry(1));
            }
            delete(copy);
        }
    }

    @Test
    void flippedByteInTheLogIsAnErrorWithFileOffsetAndRemedy() throws IOException {
        writeThreeFrames();
        String segment = lastSegment(directory).getFileName().toString();
        int length = (int) Files.size(directory.resolve(segment));
        for (int position = 0; position < length; position++) {
            Path copy = copy();
            flip(copy.resolve(segment), position, 0x10);
            assertThatThrownBy(() -> open(copy))
                    .as("flipped at %d of %d", position, length)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(copy.resolve(segment).toString())
                    .hasMessageContaining("offset")
                    .hasMessageContaining("from the other replicas")
                    .hasMessageContaining("Rebuild.begin");
            delete(copy);
        }
    }

    @Test
    void aTornTailInASegmentThatIsNotTheLastIsAnError() throws IOException {
        writeThreeFrames();
        Path segment = lastSegment(directory);
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.setLength(file.length() - 1);
        }
        String name = segment.getFileName().toString();
        long id = Long.parseLong(name.replaceAll("\\D", ""));
        Files.write(directory.resolve("log-" + (id + 1) + ".seg"), LogFormat.segmentHeader(id + 1));

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(segment.toString())
                .hasMessageContaining("cut off");
    }

    @Test
    void aLengthThatWasChangedAllocatesNothing() throws IOException {
        writeThreeFrames();
        Path segment = lastSegment(directory);
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.seek(LogFormat.SEGMENT_HEADER_BYTES + 4);
            file.writeInt(Integer.MAX_VALUE);
        }

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("damaged at offset " + LogFormat.SEGMENT_HEADER_BYTES);
    }

    /** A store whose entries are in the map, in many pages. */
    private List<Entry> writeMap() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            entries.add(entry(i));
        }
        try (MvStore store = open(directory)) {
            store.apply(entries);
            store.purge(new Version(0), 0);
        }
        forgetThatItWasClosed();
        return entries.stream().sorted(Comparator.comparing(Entry::key)).toList();
    }

    @Test
    void aMissingSegmentIsAnError() throws IOException {
        writeMap();
        Files.delete(lastSegment(directory));

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("missing");
    }

    @Test
    void aMissingMapIsAnError() throws IOException {
        writeMap();
        Files.delete(directory.resolve("data.mv"));

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("data.mv")
                .hasMessageContaining("from the other replicas");
    }

    @Test
    void aTruncatedMapIsAnError() throws IOException {
        writeMap();
        Path map = directory.resolve("data.mv");
        for (long end = 0; end < Files.size(map); end += 4096) {
            Path copy = copy();
            try (RandomAccessFile file =
                    new RandomAccessFile(copy.resolve("data.mv").toFile(), "rw")) {
                file.setLength(end);
            }
            assertThatThrownBy(() -> {
                        try (MvStore store = open(copy)) {
                            scanned(store);
                        }
                    })
                    .as("cut at %d", end)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("data.mv");
            delete(copy);
        }
    }

    @Test
    void aFlippedByteInTheMapIsAnErrorOrMakesNoDifference() throws IOException {
        List<Entry> written = writeMap();
        SplittableRandom random = new SplittableRandom(SEED);
        int length = (int) Files.size(directory.resolve("data.mv"));
        int detected = 0;
        int rounds = SearchEffort.isWhole() ? 150 : 40;
        for (int round = 0; round < rounds; round++) {
            Path copy = copy();
            int position = random.nextInt(length);
            flip(copy.resolve("data.mv"), position, 0x10);
            try (MvStore store = open(copy)) {
                assertThat(scanned(store)).as("flipped at %d", position).isEqualTo(written);
                written.forEach(entry -> assertThat(store.get(entry.key())).contains(entry));
            } catch (StoreException e) {
                detected++;
                assertThat(e).hasMessageContaining("data.mv").hasMessageContaining("from the other replicas");
            }
            delete(copy);
        }
        assertThat(detected).isPositive();
    }
}
