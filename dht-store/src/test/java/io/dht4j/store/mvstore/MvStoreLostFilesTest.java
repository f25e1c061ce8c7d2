package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.StoreProblem;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a store does whose files are removed or replaced while it has them open: what it acknowledges is found by the
 * next start, or not acknowledged.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MvStoreLostFilesTest extends MvStoreFaults {

    private static final Key KEY = Key.of("key-1");

    private Path elsewhere;

    /** What somebody does to the directory of a store. */
    private record Accident(String name, Action action) {

        @FunctionalInterface
        interface Action {
            void in(Path directory, Path elsewhere) throws IOException;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeEach
    void nameAnotherDirectory() {
        elsewhere = directory.resolve("elsewhere");
        directory = directory.resolve("store");
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static Path log(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(FailingDisk::isLog).findFirst().orElseThrow();
        }
    }

    private static Accident removed(String file) {
        return new Accident(file + " removed", (directory, elsewhere) -> Files.delete(directory.resolve(file)));
    }

    private static void replace(Path file, Path copy) throws IOException {
        Files.copy(file, copy);
        Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
    }

    static List<Accident> accidents() {
        return List.of(
                new Accident("directory removed", (directory, elsewhere) -> delete(directory)),
                new Accident("directory renamed", Files::move),
                new Accident("directory replaced by an empty one", (directory, elsewhere) -> {
                    Files.move(directory, elsewhere);
                    Files.createDirectory(directory);
                }),
                new Accident("directory replaced by a copy", (directory, elsewhere) -> {
                    Files.move(directory, elsewhere);
                    copy(elsewhere, directory);
                }),
                new Accident("directory replaced by a file", (directory, elsewhere) -> {
                    Files.move(directory, elsewhere);
                    Files.createFile(directory);
                }),
                new Accident("log removed", (directory, elsewhere) -> Files.delete(log(directory))),
                new Accident("log replaced", (directory, elsewhere) -> replace(log(directory), elsewhere)),
                new Accident(
                        "map replaced", (directory, elsewhere) -> replace(directory.resolve("data.mv"), elsewhere)),
                removed("data.mv"),
                removed("note-fence"),
                removed("PLACEMENT"),
                removed("FORMAT"),
                removed("LOCK"));
    }

    private MvStore openBound(Durability durability) {
        MvStore store = open(MvStoreOptions.defaults().withDurability(durability));
        store.bind("64 partitions, ring");
        store.keepNote("fence", new byte[8]);
        put(store, 10);
        return store;
    }

    /** Longer than a store may go on without a look at its files, however many writes there are. */
    private void putUntilRefusedFor(MvStore store) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        assertThatThrownBy(() -> {
                    while (System.nanoTime() < end) {
                        put(store);
                    }
                })
                .isInstanceOf(StoreException.class);
    }

    private void assertSaysWhatIsLost(MvStore store) {
        assertThat(store.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(StoreProblem.Kind.WRITES_REFUSED);
            assertThat(problem.message())
                    .contains(directory.toString())
                    .containsAnyOf("is not at its path", "was replaced")
                    .contains("Rebuild.begin")
                    .contains("until it is opened again");
        });
    }

    @ParameterizedTest
    @MethodSource("accidents")
    void aStoreAcknowledgesNothingIntoFilesThatNobodyFinds(Accident accident) throws Exception {
        MvStore store = openBound(Durability.OS);
        accident.action().in(directory, elsewhere);
        putUntilRefusedFor(store);
        assertSaysWhatIsLost(store);
        // What was acknowledged before can be read for as long as the process lives.
        assertNothingLost(store);
        assertThatThrownBy(() -> store.keepNote("fence", new byte[8])).isInstanceOf(StoreException.class);
        assertThatThrownBy(store::settle).isInstanceOf(StoreException.class);
        store.close();
    }

    @Test
    void aStoreThatNobodyWritesToNoticesItToo() throws Exception {
        try (MvStore store = openBound(Durability.FSYNC)) {
            Files.move(directory, elsewhere);
            await("it is noticed", () -> !store.problems().isEmpty());
            assertSaysWhatIsLost(store);
            // There is no way back: what was written meanwhile may be in either place.
            Files.move(elsewhere, directory);
            assertThatThrownBy(() -> put(store)).isInstanceOf(StoreException.class);
        }
        try (MvStore store = open(MvStoreOptions.defaults())) {
            assertNothingLost(store);
            put(store);
        }
    }

    @Test
    void aDiskThatHealsWithoutTheFilesOfTheStoreIsNotSound() throws Exception {
        try (MvStore store = openBound(Durability.OS)) {
            disk.failWrites(path -> true);
            putUntilRefused(store);
            Files.move(directory, elsewhere);
            copy(elsewhere, directory);
            disk.heal();
            await("it is noticed", () -> store.problems().get(0).message().contains("until it is opened again"));
            assertSaysWhatIsLost(store);
            assertThat(directory.resolve("probe.tmp")).doesNotExist();
            assertNothingLost(store);
        }
        // Nothing was written into what is another store now.
        assertThat(directory.resolve("CLOSED")).doesNotExist();
    }

    @Test
    void theLogIsKeptWhenWhatItWasMergedIntoIsGone() throws Exception {
        try (MvStore store = openBound(Durability.OS)) {
            Path log = log(directory);
            assertThat(store.get(KEY)).isPresent();
            Files.delete(directory.resolve("data.mv"));
            assertThatThrownBy(store::settle).isInstanceOf(StoreException.class);
            assertThat(log).exists();
            assertSaysWhatIsLost(store);
        }
    }
}
