package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A sweep of damage over every file: the store shows exactly what was acknowledged, or says what is wrong. And what a
 * rebuild does then.
 */
class MvStoreDamageTest {

    private static final long SEED = 20_261_123;
    private static final int FLIPS = 25;
    private static final int CUTS = 8;
    private static final int IN_MAP = 1500;
    private static final int IN_LOG = 40;
    private static final String PLACEMENT = "64 partitions, ring";

    @TempDir
    Path temporary;

    private int copies;

    private static Entry entry(int number) {
        return Entry.value(
                Key.of(String.format("key-%05d", number)),
                new Version(1 + number),
                ("value " + number).getBytes(StandardCharsets.UTF_8),
                Entry.NEVER);
    }

    private static List<Entry> entries(int count) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(i));
        }
        return entries;
    }

    private static MvStore open(Path directory) {
        return MvStore.open(directory, MvStoreOptions.defaults());
    }

    static List<Entry> scanned(MvStore store) {
        List<Entry> entries = new ArrayList<>();
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            cursor.forEachRemaining(entries::add);
        }
        return entries;
    }

    /** A store with entries in the map and entries in the log, closed in order or as a killed process leaves it. */
    private Path written(boolean closed) throws IOException {
        Path directory = temporary.resolve("store");
        try (MvStore store = open(directory)) {
            store.bind(PLACEMENT);
            store.apply(entries(IN_MAP));
            store.purge(new Version(0), 0);
            for (int i = IN_MAP; i < IN_MAP + IN_LOG; i++) {
                store.apply(List.of(entry(i)));
            }
            if (!closed) {
                return copy(directory);
            }
        }
        return directory;
    }

    private Path copy(Path directory) throws IOException {
        Path copy = Files.createDirectory(temporary.resolve("copy-" + copies++));
        for (Path file : files(directory)) {
            Files.copy(file, copy.resolve(file.getFileName()));
        }
        return copy;
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void delete(Path copy) throws IOException {
        for (Path file : files(copy)) {
            Files.delete(file);
        }
        Files.delete(copy);
    }

    static void flip(Path path, long position, int bit) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(position);
            int old = file.read();
            file.seek(position);
            file.write(old ^ bit);
        }
    }

    private static void cut(Path path, long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        }
    }

    /**
     * What is wrong, or empty if everything that was acknowledged is there, or of a torn log all that stands before.
     */
    private static String check(Path copy, String what, boolean mayBeTorn) throws IOException {
        Map<Path, byte[]> before = contents(copy);
        MvStore opened;
        try {
            opened = open(copy);
        } catch (StoreException e) {
            // A damaged store is left unchanged, for its repair.
            assertThat(contents(copy)).as(what).containsExactlyInAnyOrderEntriesOf(before);
            return refused(copy, what, e);
        }
        try (MvStore store = opened) {
            store.bind(PLACEMENT);
            List<Entry> shown = scanned(store);
            List<Entry> all = entries(IN_MAP + IN_LOG);
            if (mayBeTorn) {
                assertThat(shown).as(what).hasSizeGreaterThanOrEqualTo(IN_MAP);
                assertThat(shown).as(what).isEqualTo(all.subList(0, shown.size()));
            } else {
                assertThat(shown).as(what).isEqualTo(all);
                for (int i = 0; i < all.size(); i += 97) {
                    assertThat(store.get(all.get(i).key())).as(what).contains(all.get(i));
                }
            }
            return "";
        } catch (StoreException e) {
            return refused(copy, what, e);
        }
    }

    private static String refused(Path copy, String what, StoreException e) {
        assertThat(e.getMessage())
                .as(what)
                .contains(copy.toString())
                .contains("Rebuild.begin")
                .contains("in a cluster of Membership.bootstrap, call membership().replace for this node")
                .doesNotContain("\n");
        return e.getMessage();
    }

    /** What the files hold, but for the lock. */
    private static Map<Path, byte[]> contents(Path directory) throws IOException {
        Map<Path, byte[]> contents = new TreeMap<>();
        for (Path file : files(directory)) {
            if (!file.endsWith("LOCK")) {
                contents.put(file, Files.readAllBytes(file));
            }
        }
        return contents;
    }

    @Test
    void aMapThatHasFallenBackKeepsWhatItHasLost() throws IOException {
        Path directory = written(true);
        Path map = directory.resolve("data.mv");
        byte[] bytes = Files.readAllBytes(map);
        int last = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf("chunk:");
        flip(map, last, 1);
        byte[] damaged = Files.readAllBytes(map);

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("Rebuild.begin");
        assertThat(map).hasBinaryContent(damaged);
    }

    @Test
    void missingMapIsReportedAndNotRecreated() throws IOException {
        Path directory = written(true);
        Path map = directory.resolve("data.mv");
        Files.delete(map);

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(map + " is missing; start the node")
                .hasMessageContaining("Rebuild.begin");
        assertThat(map).doesNotExist();
        for (Path segment : segments(directory)) {
            Files.delete(segment);
        }
        assertThatThrownBy(() -> open(directory)).hasMessageContaining(map + " is missing; start the node");
    }

    @Test
    void aDamagedBeginIsReportedWithoutTheVersionOfTheLibrary() throws IOException {
        Path directory = written(true);
        Path map = directory.resolve("data.mv");
        try (RandomAccessFile file = new RandomAccessFile(map.toFile(), "rw")) {
            file.write(new byte[8192]);
        }

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(
                        map + " cannot be opened (Store header is corrupt: " + map + "); start the node");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noFileDamageLosesEntriesSilently(boolean closed) throws IOException {
        Path directory = written(closed);
        SplittableRandom random = new SplittableRandom(SEED);
        List<String> found = new ArrayList<>();
        for (Path file : files(directory)) {
            String name = String.valueOf(file.getFileName());
            int length = (int) Files.size(file);
            for (int i = 0; i < FLIPS && length > 0; i++) {
                Path copy = copy(directory);
                int position = random.nextInt(length);
                flip(copy.resolve(name), position, 1 << random.nextInt(8));
                found.add(check(copy, name + " flipped at " + position, false));
                delete(copy);
            }
            for (int i = 0; i < CUTS && length > 0; i++) {
                Path copy = copy(directory);
                int end = random.nextInt(length);
                cut(copy.resolve(name), end);
                found.add(check(copy, name + " cut at " + end, !closed && name.endsWith(".seg")));
                delete(copy);
            }
            Path copy = copy(directory);
            Files.delete(copy.resolve(name));
            found.add(check(copy, name + " missing", false));
            delete(copy);
        }
        assertThat(found).filteredOn(message -> !message.isEmpty()).hasSizeGreaterThan(30);
    }

    @Test
    void theNewestSegmentIsMissedWhenAnotherOneStandsBeforeIt() throws IOException {
        Path directory = temporary.resolve("store");
        FailingDisk disk = new FailingDisk(SEED);
        MvStoreOptions small = MvStoreOptions.defaults().withMemtableBytes(MvStoreOptions.MIN_MEMTABLE_BYTES);
        try (MvStore store = MvStore.open(directory, small, disk)) {
            // Nothing is merged, so that several segments stay.
            disk.failWrites(FailingDisk::isMap);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            store.apply(List.of(entry(i)));
                        }
                    })
                    .isInstanceOf(StoreException.class);
        }
        List<Path> segments = segments(directory);
        assertThat(segments).hasSizeGreaterThan(1);
        // As a killed process leaves it.
        Files.delete(directory.resolve("CLOSED"));
        Files.delete(segments.get(segments.size() - 1));

        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(segments.get(segments.size() - 1).toString())
                .hasMessageContaining("missing")
                .hasMessageContaining("Rebuild.begin");
    }

    private static List<Path> segments(Path directory) throws IOException {
        return files(directory).stream()
                .filter(file -> file.toString().endsWith(".seg"))
                .toList();
    }

    @Test
    void foreignFilesStayUntouched() throws IOException {
        Path directory = written(true);
        Files.writeString(directory.resolve("notes.txt"), "mine");
        Files.writeString(directory.resolve("log-x.seg"), "mine too");

        assertThat(check(directory, "foreign files", false)).isEmpty();
        assertThat(directory.resolve("notes.txt")).hasContent("mine");
        assertThat(directory.resolve("log-x.seg")).hasContent("mine too");
    }

    @Test
    void rebuildSetsDataAsideAndIsRemembered() throws IOException {
        Path directory = written(true);
        Path segment = segments(directory).get(0);
        byte[] before = Files.readAllBytes(directory.resolve("data.mv"));
        flip(segment, 60, 1);
        Files.createDirectory(directory.resolve("hints"));

        Path aside = Rebuild.begin(directory).orElseThrow();

        assertThat(aside).isEqualTo(directory.resolve("damaged-1"));
        assertThat(aside.resolve("data.mv")).hasBinaryContent(before);
        assertThat(aside.resolve(segment.getFileName())).exists();
        assertThat(aside.resolve("PLACEMENT")).hasContent(PLACEMENT + "\n");
        assertThat(directory.resolve("hints")).isDirectory();
        RefillMarker marker = Rebuild.marker(directory);
        assertThat(marker.pending(64).cardinality()).isEqualTo(64);
        try (MvStore store = open(directory)) {
            assertThat(store.entries()).isZero();
            store.bind("another placement");
            store.apply(List.of(entry(1)));
        }

        BitSet left = new BitSet();
        left.set(5);
        left.set(63);
        marker.keep(left);
        // Once more, as a script would do that is run again: what has come so far stays.
        assertThat(Rebuild.begin(directory)).isEmpty();
        assertThat(Rebuild.marker(directory).pending(64)).isEqualTo(left);
        try (MvStore store = open(directory)) {
            assertThat(store.get(entry(1).key())).contains(entry(1));
        }

        marker.keep(new BitSet());
        assertThat(Rebuild.marker(directory).pending(64).isEmpty()).isTrue();
        assertThat(Rebuild.begin(directory)).contains(directory.resolve("damaged-2"));
    }

    @Test
    void aRebuildOfNothingMarksEverything() {
        Path directory = temporary.resolve("new disk");

        assertThat(Rebuild.begin(directory)).isEmpty();

        assertThat(Rebuild.marker(directory).pending(8).cardinality()).isEqualTo(8);
        open(directory).close();
    }

    @Test
    void aMarkerThatCannotBeUnderstoodMeansEverything() throws IOException {
        Path directory = temporary.resolve("store");
        Rebuild.begin(directory);
        for (String text : List.of("", "dht4j refill 1\n", "dht4j refill 1\nxyz\n", "dht4j refill 2\n00\n")) {
            Files.writeString(directory.resolve("REFILL"), text);
            assertThat(Rebuild.marker(directory).pending(8).cardinality())
                    .as(text)
                    .isEqualTo(8);
        }
    }

    @Test
    void aRebuildTouchesNothingThatIsNoStoreOrIsInUse() throws IOException {
        Path foreign = Files.createDirectory(temporary.resolve("foreign"));
        Files.writeString(foreign.resolve("thesis.txt"), "precious");
        assertThatThrownBy(() -> Rebuild.begin(foreign))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("thesis.txt");
        assertThat(files(foreign)).containsExactly(foreign.resolve("thesis.txt"));

        Path used = temporary.resolve("used");
        try (MvStore store = open(used)) {
            store.apply(List.of(entry(1)));
            assertThatThrownBy(() -> Rebuild.begin(used))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("locked");
            assertThat(store.get(entry(1).key())).contains(entry(1));
        }
        assertThat(used.resolve("REFILL")).doesNotExist();
    }
}
