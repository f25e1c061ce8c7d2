package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.hints.FileHintLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("jdk")
class MvStoreDirectoryTest {

    private static final Entry ENTRY = Entry.tombstone(Key.of("a"), new Version(1));

    @TempDir
    Path directory;

    private MvStore open() {
        return MvStore.open(directory, MvStoreOptions.defaults());
    }

    @Test
    void aDirectoryThatDoesNotExistIsMade() {
        Path deep = directory.resolve("a/b/c");
        try (MvStore store = MvStore.open(deep, MvStoreOptions.defaults())) {
            assertThat(store.entries()).isZero();
        }
        assertThat(deep).isDirectory();
    }

    @Test
    void theWorkingDirectoryIsNamed() {
        assertThatThrownBy(() -> MvStore.open(Path.of(""), MvStoreOptions.defaults()))
                .as("the module's, which is no store")
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith(". ");
    }

    @Test
    void aStoreThatIsOpenInThisProcessIsNotOpenedAgain() {
        try (MvStore store = open()) {
            store.apply(List.of(ENTRY));
            assertThatThrownBy(this::open)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("locked")
                    .hasMessageContaining("this process");
            assertThat(store.get(ENTRY.key())).contains(ENTRY);
        }
        try (MvStore again = open()) {
            assertThat(again.get(ENTRY.key())).contains(ENTRY);
        }
    }

    @Test
    void secondOpenAttemptKeepsOtherProcessesOut() throws Exception {
        try (MvStore store = open()) {
            assertThat(firstLineOfAnOpeningProcess()).startsWith("refused: ").contains("locked: another process");
            assertThatThrownBy(this::open).isInstanceOf(StoreException.class);
            assertThat(firstLineOfAnOpeningProcess()).startsWith("refused: ").contains("locked: another process");
            store.apply(List.of(ENTRY));
        }
        assertThat(firstLineOfAnOpeningProcess()).isEqualTo("open");
    }

    @Test
    void storeOpenInAnotherProcessIsRefused() throws Exception {
        try (ChildJvm child = ChildJvm.start(OpeningProcess.class, directory.toString())) {
            assertThat(child.readLine()).isEqualTo("open");
            assertThatThrownBy(this::open)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("locked: another process");
        }
        try (MvStore store = open()) {
            assertThat(store.entries()).isZero();
        }
    }

    private String firstLineOfAnOpeningProcess() throws Exception {
        try (ChildJvm child = ChildJvm.start(OpeningProcess.class, directory.toString())) {
            return child.readLine();
        }
    }

    @Test
    void aDirectoryWithFilesOfTheSystemIsEmpty() throws IOException {
        Files.createDirectory(directory.resolve("lost+found"));
        for (String name : List.of(".DS_Store", ".nfs0000000000a1")) {
            Files.writeString(directory.resolve(name), "");
        }
        try (MvStore store = open()) {
            assertThat(store.entries()).isZero();
        }
        assertThat(directory.resolve("lost+found")).exists();
    }

    @Test
    void directoryOfForeignFilesIsRefusedUnchanged() throws IOException {
        Files.writeString(directory.resolve("thesis.txt"), "precious");

        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("thesis.txt")
                .hasMessageContaining("use an empty directory");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("thesis.txt"));
        }
    }

    @Test
    void aDirectoryWithAForeignFormatFileIsRefused() throws IOException {
        Files.writeString(directory.resolve("FORMAT"), "something else 1\n");

        assertThatThrownBy(this::open).isInstanceOf(StoreException.class).hasMessageContaining("FORMAT");
    }

    @Test
    void aNewerFormatIsRefused() throws IOException {
        open().close();
        Files.writeString(directory.resolve("FORMAT"), "dht4j mvstore 2\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("format version 2")
                .hasMessageContaining("reads version 1");
    }

    @Test
    void storeOpensAfterACreationKilledBeforeItsFormat() throws IOException {
        Files.createFile(directory.resolve("LOCK"));
        Files.writeString(directory.resolve("FORMAT.tmp"), "dht4");

        try (MvStore store = open()) {
            assertThat(store.entries()).isZero();
        }
    }

    @Test
    void storeOfAnotherPlacementIsRefused() {
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults())) {
            store.bind("64 partitions, ring");
        }
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults())) {
            store.bind("64 partitions, ring");
            assertThatThrownBy(() -> store.bind("128 partitions, ring"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith(directory.resolve("PLACEMENT")
                            + " is that of a node with 64 partitions; this one has 128 partitions. Use"
                            + " another directory, or the same settings; if the file is damaged, start the node after"
                            + " Rebuild.begin");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "n1, 64 partitions, 2 nodes (n1, n2), fingerprint a | n2, 64 partitions, 2 nodes (n1, n2), fingerprint a"
                        + "| n1; this one has n2.",
                "64 partitions, 1 nodes (n1), fingerprint a | 64 partitions, 3 nodes (n1, n2, n3), fingerprint b"
                        + "| 1 node; this one has 3 nodes with n2 and n3.",
                "64 partitions, 40 nodes, fingerprint a | 64 partitions, 40 nodes, fingerprint b"
                        + "| fingerprint a; this one has fingerprint b."
            })
    void refusalOfAnotherPlacementNamesTheDifference(String kept, String own, String difference) {
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults())) {
            store.bind(kept);
            assertThatThrownBy(() -> store.bind(own))
                    .hasMessageContaining(" is that of a node with " + difference + " Use another directory");
        }
    }

    @Test
    void aPathThatCannotBeADirectoryIsRefused() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        for (Path path : List.of(file, file.resolve("below"))) {
            assertThatThrownBy(() -> MvStore.open(path, MvStoreOptions.defaults()))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("must be a directory that this process may write")
                    .message()
                    .doesNotContain("Exception");
        }
    }

    @Test
    void optionsOutOfRangeAreRefusedByName() {
        MvStoreOptions defaults = MvStoreOptions.defaults();
        assertThatThrownBy(() -> defaults.withCacheBytes(1)).hasMessageContaining("cacheBytes must be 1048576 to");
        assertThatThrownBy(() -> defaults.withEntryCacheBytes(-1)).hasMessageContaining("entryCacheBytes must be 0 to");
        assertThatThrownBy(() -> defaults.withMemtableBytes(1)).hasMessageContaining("memtableBytes must be 16384 to");
        assertThatThrownBy(() -> defaults.withMaxFrozen(17)).hasMessageContaining("maxFrozen must be 1 to 16, not 17");
        assertThat(defaults.durability()).isEqualTo(Durability.OS);
    }

    @Test
    void twoThreadsThatKeepANoteAtATimeBothKeepIt() throws Exception {
        AtomicReference<@Nullable MvStore> opened = new AtomicReference<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread other =
                new Thread(() -> Objects.requireNonNull(opened.get()).keepNote("versions", new byte[] {2, 2}), "other");
        other.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
        AtomicBoolean first = new AtomicBoolean(true);
        Disk disk = new Disk() {
            @Override
            public void rename(Path from, Path to) throws IOException {
                if (to.endsWith("note-versions") && first.getAndSet(false)) {
                    other.start();
                    assertThatCode(() -> MvStoreFaults.await(
                                    "the other one waits, or has kept its note",
                                    () -> !other.isAlive() || other.getState() == Thread.State.BLOCKED))
                            .doesNotThrowAnyException();
                }
                super.rename(from, to);
            }
        };
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults(), disk)) {
            opened.set(store);
            store.keepNote("versions", new byte[] {1});
            other.join();
            assertThat(failure).hasValue(null);
            assertThat(store.note("versions")).contains(new byte[] {2, 2});
        }
    }

    @Test
    @SuppressWarnings("NullAway")
    void missingArgumentsAreNamed() {
        assertThatNullPointerException()
                .isThrownBy(() -> MvStore.open(null, MvStoreOptions.defaults()))
                .withMessage("directory");
        assertThatNullPointerException()
                .isThrownBy(() -> MvStore.open(directory.resolve("store"), null))
                .withMessage("options");
        assertThat(directory).isEmptyDirectory();
        assertThatNullPointerException()
                .isThrownBy(() -> FileHintLog.open(null, FileHintLog.MIN_BYTES))
                .withMessage("directory");
    }
}
