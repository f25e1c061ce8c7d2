package io.dht4j.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.Item;
import io.dht4j.server.client.ItemSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories of snapshots: what is written is read back, and whatever is changed is refused whole. */
class SnapshotDirectoryTest {

    private static final Version CUT = Version.of(1_800_000_000_000L, 7);
    private static final Version OLDER = Version.of(1_700_000_000_000L, 0);

    @TempDir
    private Path temporary;

    private Path directory() {
        return temporary.resolve("snapshot");
    }

    private static List<Item> items(int count) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[i % 7 == 0 ? 0 : i];
            Arrays.fill(value, (byte) i);
            items.add(new Item(
                    Key.of("key%04d".formatted(i)),
                    value,
                    i % 5 == 0 ? OptionalLong.of(1_900_000_000_000L + i) : OptionalLong.empty(),
                    Optional.of(i % 3 == 0 ? CUT : OLDER)));
        }
        return items;
    }

    /** With data files of about 500 bytes. */
    private static SnapshotInfo write(Path directory, List<Item> items) throws Exception {
        try (SnapshotWriter writer = SnapshotWriter.begin(directory, CUT, 500)) {
            for (Item item : items) {
                writer.add(item);
            }
            return writer.finish();
        }
    }

    private static SnapshotReader verified(Path directory) throws IOException, ClientException {
        return SnapshotReader.verified(directory, bytes -> {});
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory())) {
            return files.sorted().toList();
        }
    }

    /** Refused, with one line that names the directory and the file. */
    private void assertRefused(String file, String what) {
        assertThatThrownBy(() -> verified(directory()))
                .as("%s, %s", file, what)
                .isInstanceOf(ClientException.class)
                .hasMessageContaining("snapshot " + directory() + " refused: ")
                .hasMessageContaining(file)
                .hasMessageContaining(what)
                .message()
                .hasLineCount(1);
    }

    @Test
    void writtenSnapshotIsReadBack() throws Exception {
        List<Item> items = items(60);
        SnapshotInfo written = write(directory(), items);

        SnapshotReader reader = verified(directory());

        assertThat(reader.info()).isEqualTo(written);
        assertThat(written.cut()).isEqualTo(CUT);
        assertThat(written.time()).hasToString("2027-01-15T08:00:00Z");
        assertThat(written.entries()).isEqualTo(60);
        assertThat(written.files()).isGreaterThan(3);
        ItemSource source = reader.items();
        for (Item item : items) {
            Item read = source.next().orElseThrow();
            assertThat(read.key()).isEqualTo(item.key());
            assertThat(read.value()).isEqualTo(item.value());
            assertThat(read.version()).isEqualTo(item.version());
            assertThat(read.expiresAtMillis()).isEqualTo(item.expiresAtMillis());
            assertThat(source.place()).startsWith("data-0");
        }
        assertThat(source.next()).isEmpty();
        assertThat(source.bytesRead()).isEqualTo(written.fileBytes());
        assertThat(temporary).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void aSnapshotOfNothingIsASnapshot() throws Exception {
        write(directory(), List.of());

        assertThat(verified(directory()).items().next()).isEmpty();
        assertThat(files()).hasSize(1);
    }

    @Test
    void everyFlippedBitIsNoticed() throws Exception {
        write(directory(), items(12));
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            for (int at = 0; at < whole.length; at++) {
                byte[] damaged = whole.clone();
                damaged[at] ^= (byte) (1 << at % 8);
                Files.write(file, damaged);
                assertRefused(file.getFileName().toString(), "");
            }
            Files.write(file, whole);
        }
        verified(directory());
    }

    @Test
    void everyTruncationAndAdditionIsNoticed() throws Exception {
        write(directory(), items(12));
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            for (int length = 0; length < whole.length; length++) {
                Files.write(file, Arrays.copyOf(whole, length));
                assertRefused(file.getFileName().toString(), "");
            }
            Files.write(file, Arrays.copyOf(whole, whole.length + 1));
            assertRefused(file.getFileName().toString(), "");
            Files.write(file, whole);
        }
        verified(directory());
    }

    @Test
    void aMissingFileIsNoticed() throws Exception {
        write(directory(), items(40));
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            Files.delete(file);
            assertRefused(file.getFileName().toString(), "is missing");
            Files.write(file, whole);
        }
        verified(directory());
    }

    @Test
    void aFileTooManyIsNoticed() throws Exception {
        write(directory(), items(40));
        for (String name : List.of("data-000099.dht", "notes.txt", ".hidden")) {
            Path extra = directory().resolve(name);
            Files.writeString(extra, "");
            assertRefused(name, "does not belong to it");
            Files.delete(extra);
        }
        Files.createDirectory(directory().resolve("sub"));
        assertRefused("sub", "does not belong to it");
    }

    @Test
    void filesOfTheSystemAreIgnored() throws Exception {
        write(directory(), items(40));
        for (String name : List.of(".DS_Store", "._data-000001.dht", ".nfs0000000000a1", "Thumbs.db")) {
            Files.writeString(directory().resolve(name), "");
        }
        Files.createDirectory(directory().resolve("lost+found"));
        verified(directory());
    }

    @Test
    void filesThatChangedPlacesAreNoticed() throws Exception {
        Path first = directory().resolve("data-000001.dht");
        Path second = directory().resolve("data-000002.dht");
        try (SnapshotWriter writer = SnapshotWriter.begin(directory(), CUT, 1)) {
            writer.add(items(3).get(1));
            writer.add(items(3).get(2));
            writer.finish();
        }
        byte[] kept = Files.readAllBytes(first);
        Files.write(first, Files.readAllBytes(second));
        Files.write(second, kept);
        assertRefused("data-000001.dht", "damaged");
    }

    @Test
    void aFileOfAnotherSnapshotIsNoticed() throws Exception {
        write(directory(), items(12));
        Path other = temporary.resolve("other");
        try (SnapshotWriter writer = SnapshotWriter.begin(other, Version.of(1_800_000_000_001L, 0), 500)) {
            for (Item item : items(12)) {
                writer.add(item);
            }
            writer.finish();
        }
        Files.write(directory().resolve("data-000001.dht"), Files.readAllBytes(other.resolve("data-000001.dht")));
        assertRefused("data-000001.dht", "header");
    }

    @Test
    void newerAndForeignManifestsAreRefused() throws Exception {
        write(directory(), items(2));
        Path manifest = directory().resolve("manifest.json");
        String text = Files.readString(manifest);
        Files.writeString(manifest, text.replace("\"format_version\" : 1", "\"format_version\" : 2"));
        assertRefused("manifest.json", "format version 2, this program reads versions up to 1");
        Files.writeString(manifest, "{\"name\": \"web-app\"}");
        assertRefused("manifest.json", "not the manifest of a snapshot");
        Files.write(manifest, new byte[] {0, 1, 2});
        assertRefused("manifest.json", "not JSON");
        Files.writeString(manifest, "[".repeat(100_000));
        assertRefused("manifest.json", "not JSON");
        Files.writeString(manifest, text);
        verified(directory());
    }

    @Test
    void nextSnapshotReplacesAnInterruptedOne() throws Exception {
        Path part = temporary.resolve("snapshot.part");
        Path left = temporary.resolve("left");
        try (SnapshotWriter interrupted = SnapshotWriter.begin(directory(), CUT, 500)) {
            for (Item item : items(40)) {
                interrupted.add(item);
            }
            assertThat(directory()).doesNotExist();
            assertThatThrownBy(() -> verified(part)).hasMessageContaining("manifest.json is missing");
            Files.move(part, left);
        }
        // What a process leaves behind that is killed: both files, and no lock.
        Files.move(left, part);
        Files.createFile(temporary.resolve("snapshot.lock"));

        write(directory(), items(3));

        assertThat(verified(directory()).info().entries()).isEqualTo(3);
        assertThat(temporary).isDirectoryNotContaining(path -> !path.equals(directory()));
    }

    @Test
    void filesOfTheSystemDoNotKeepAnInterruptedSnapshot() throws Exception {
        Path part = Files.createDirectory(temporary.resolve("snapshot.part"));
        Files.createFile(part.resolve("data-000001.dht"));
        Files.createFile(part.resolve(".DS_Store"));
        Files.createDirectory(part.resolve("@eaDir"));

        write(directory(), items(3));

        assertThat(verified(directory()).info().entries()).isEqualTo(3);
        assertThat(temporary).isDirectoryNotContaining(path -> !path.equals(directory()));
    }

    @Test
    void foreignFilesBesideAnInterruptedSnapshotStay() throws Exception {
        Path part = Files.createDirectory(temporary.resolve("snapshot.part"));
        Path data = Files.createFile(part.resolve("data-000001.dht"));
        Path notes = Files.createFile(part.resolve("notes.txt"));
        assertThatThrownBy(() -> write(directory(), items(3)))
                .isInstanceOf(ClientException.class)
                .hasMessage(part + " is in the way: it holds notes.txt, which is no part of an unfinished snapshot");
        Files.delete(notes);
        Path kept = Files.createFile(
                Files.createDirectory(part.resolve(".snapshots")).resolve("1"));
        assertThatThrownBy(() -> write(directory(), items(3)))
                .isInstanceOf(ClientException.class)
                .hasMessage(part + " is in the way: it holds .snapshots, which is no part of an unfinished snapshot");
        assertThat(List.of(data, kept)).allMatch(Files::exists);
    }

    @Test
    void secondWriterOfADirectoryIsRefused() throws Exception {
        try (SnapshotWriter first = SnapshotWriter.begin(directory(), CUT, 500)) {
            first.add(items(1).get(0));
            assertThatThrownBy(() -> write(directory(), items(5)))
                    .isInstanceOf(ClientException.class)
                    .hasMessageContaining("another snapshot is being written to " + directory())
                    .message()
                    .hasLineCount(1);
            assertThat(write(temporary.resolve("other"), items(5)).entries()).isEqualTo(5);
            first.finish();
        }
        assertThat(verified(directory()).info().entries()).isOne();
        assertThat(temporary).isDirectoryNotContaining("glob:**.{part,lock}");
        assertThatThrownBy(() -> write(directory(), items(5))).hasMessageContaining("is there already");
    }

    /** In any order and at any moment: in the end one of them is there as a whole. */
    @Test
    void manyAtTheSameTimeDoNotMix() throws Exception {
        int writers = 8;
        List<Item> items = items(30);
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            for (int round = 0; round < 20; round++) {
                Path directory = temporary.resolve("round" + round);
                List<Future<SnapshotInfo>> all = new ArrayList<>();
                for (int i = 0; i < writers; i++) {
                    all.add(threads.submit(() -> write(directory, items)));
                }
                int written = 0;
                for (Future<SnapshotInfo> one : all) {
                    try {
                        one.get(60, TimeUnit.SECONDS);
                        written++;
                    } catch (ExecutionException e) {
                        assertThat(e.getCause())
                                .isInstanceOf(ClientException.class)
                                .message()
                                .containsAnyOf("another snapshot is being written", "is there already");
                    }
                }
                assertThat(written).isOne();
                assertThat(verified(directory).info().entries()).isEqualTo(30);
            }
        } finally {
            threads.shutdown();
        }
        assertThat(temporary).isDirectoryNotContaining("glob:**.{part,lock}");
    }

    @Test
    void entriesExpiredBefore1970StayExpired() throws Exception {
        List<Item> items = new ArrayList<>();
        for (long expiry : new long[] {Long.MIN_VALUE, -1, 0, 1}) {
            items.add(new Item(Key.of("key" + items.size()), new byte[1], OptionalLong.of(expiry), Optional.of(OLDER)));
        }
        write(directory(), items);

        ItemSource source = verified(directory()).items();

        for (int i = 0; i < items.size(); i++) {
            assertThat(source.next().orElseThrow().expiresAtMillis()).hasValue(1);
        }
    }

    @Test
    void aNegativeExpiryInAFileIsOver() throws Exception {
        Item item = new Item(Key.of("k"), new byte[1], OptionalLong.of(5), Optional.of(OLDER));
        byte[] record = DataFormat.record(item, OLDER).array();
        Arrays.fill(record, 16, 24, (byte) 0xFF);

        assertThat(DataFormat.item(record).expiresAtMillis()).hasValue(-1);
    }

    @Test
    void aManifestOfManyTinyThingsIsRefusedAtTheFirst() throws Exception {
        write(directory(), items(1));
        Path manifest = directory().resolve("manifest.json");
        Files.writeString(manifest, "{\"format\":\"dht4j-snapshot\",\"files\":[" + "{},".repeat(5_000_000) + "{}]}");
        assertRefused("manifest.json", "its file 1 must have the name data-000001.dht");
        Files.writeString(manifest, "{\"format\":\"dht4j-snapshot\",\"x\":[[]]}");
        assertRefused("manifest.json line 1", "a list or an object in place of a value");
        Files.writeString(manifest, "{\"format\":\"dht4j-snapshot\",\"entries\":99999999999999999999}");
        assertRefused("manifest.json line 1", "a number must be 0 to 9223372036854775807");
    }

    @Test
    void aLengthThatNoEntryHasIsRefusedWithTheRange() throws Exception {
        write(directory(), items(1));
        for (int length : new int[] {Integer.MIN_VALUE, -1, 18, Integer.MAX_VALUE}) {
            Path file = directory().resolve("data-000001.dht");
            byte[] bytes = Files.readAllBytes(file);
            ByteBuffer.wrap(bytes).putInt(DataFormat.HEADER_BYTES, length);
            Files.write(file, bytes);

            assertRefused("data-000001.dht", "entry 1 has length " + length + ", which must be 19 to ");
        }
    }

    @Test
    void aSnapshotIsForItsOwnerAlone() throws Exception {
        write(directory(), items(40));

        List<Path> all = new ArrayList<>(files());
        assertThat(all).hasSizeGreaterThan(2);
        for (Path file : all) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                .isEqualTo("rwx------");
    }

    @Test
    void aFailedSnapshotLeavesNothing() throws Exception {
        try (SnapshotWriter writer = SnapshotWriter.begin(directory(), CUT, 500)) {
            writer.add(items(2).get(1));
        }
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void nothingIsOverwritten() throws Exception {
        Files.createDirectory(directory());
        assertThatThrownBy(() -> write(directory(), items(1)))
                .isInstanceOf(ClientException.class)
                .hasMessageContaining("is there already");
        Path part = temporary.resolve("mine.part");
        Files.createDirectory(part);
        Files.writeString(part.resolve("letter.txt"), "dear");
        assertThatThrownBy(() -> write(temporary.resolve("mine"), items(1)))
                .isInstanceOf(ClientException.class)
                .hasMessageContaining("letter.txt");
        assertThat(part.resolve("letter.txt")).hasContent("dear");
    }

    @Test
    void itemsOutsideTheSnapshotAreRefused() throws Exception {
        Key key = Key.of("k");
        byte[] value = "v".getBytes(StandardCharsets.UTF_8);
        try (SnapshotWriter writer = SnapshotWriter.begin(directory(), CUT, 500)) {
            writer.add(new Item(key, value, OptionalLong.empty(), Optional.of(CUT)));
            assertThatThrownBy(() -> writer.add(new Item(key, value, OptionalLong.empty(), Optional.of(CUT))))
                    .hasMessageContaining("behind");
            Version newer = Version.of(CUT.millis(), CUT.counter() + 1);
            assertThatThrownBy(() -> writer.add(new Item(Key.of("l"), value, OptionalLong.empty(), Optional.of(newer))))
                    .hasMessageContaining("newer");
            assertThatThrownBy(() -> writer.add(new Item(Key.of("l"), value, OptionalLong.empty())))
                    .hasMessageContaining("without a version");
        }
    }
}
