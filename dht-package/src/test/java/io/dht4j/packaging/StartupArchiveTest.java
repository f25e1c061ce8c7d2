package io.dht4j.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The archive of classes that the launcher has the JVM make. */
@Tag("full")
@EnabledOnOs({OS.LINUX, OS.MAC})
class StartupArchiveTest {

    /** The training has the lowest priority: beside other work it takes minutes. */
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    /** The directory of the launcher below the one that the user names. */
    private static final String OWN = "dht4j-startup";

    @TempDir
    private static Path shared;

    @TempDir
    private Path directory;

    private static Installation installation;
    private static Installation.Run first;
    private static Path made;

    private Path parent;
    private Path cache;

    @BeforeAll
    static void makeArchive() throws Exception {
        installation = Installation.unpack(shared);
        Path parent = shared.resolve("cache");
        first = installation.dht(Map.of("DHT_STARTUP_CACHE", parent.toString()), "--version");
        Path cache = parent.resolve(OWN);
        awaitArchive(cache);
        made = files(cache).get(0);
    }

    private static void awaitArchive(Path cache) {
        await().atMost(PATIENCE)
                .until(() ->
                        files(cache).size() == 1 && files(cache).get(0).toFile().isFile());
    }

    @BeforeEach
    void copyArchive() throws IOException {
        parent = Files.createDirectory(directory.resolve("copy"));
        cache = Files.createDirectory(parent.resolve(OWN));
        Files.copy(made, cache.resolve(made.getFileName()));
    }

    private static List<Path> files(Path cache) throws IOException {
        if (!Files.exists(cache)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(cache)) {
            return files.toList();
        }
    }

    private void assertThatTheVersionIsPrinted(Map<String, String> variables) throws Exception {
        Installation.Run run = installation.dht(variables, "--version");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo(first.out());
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theFirstCallPrintsNothingElse() {
        assertThat(first.exitCode()).isZero();
        assertThat(first.out()).matches("dht4j \\d\\S*, Java \\d.*\\R");
        assertThat(first.err()).isEmpty();
        assertThat(made.getFileName().toString()).startsWith("start-");
    }

    @Test
    void laterCallsLoadTheirClassesFromIt() throws Exception {
        Path log = directory.resolve("classes");

        assertThatTheVersionIsPrinted(
                Map.of("DHT_STARTUP_CACHE", parent.toString(), "DHT_JAVA_OPTS", "-Xlog:class+load:file=" + log));

        assertThat(log).content().contains("io.dht4j.server.cli.Dht source: shared objects file");
        // Picocli is of a format that the archives of JDK 25 leave out.
        if (Runtime.version().feature() < 25) {
            assertThat(log).content().contains("picocli.CommandLine source: shared objects file");
        }
    }

    @Test
    void somethingElseIsNotUsed() throws Exception {
        Path other = cache.resolve(made.getFileName());
        Files.write(other, new byte[(int) Files.size(other)]);

        assertThatTheVersionIsPrinted(Map.of("DHT_STARTUP_CACHE", parent.toString()));
    }

    /** The owner of a directory can exchange its files after any check of them. */
    @Test
    void oneInADirectoryOfAnotherUserIsNotUsed() throws Exception {
        assumeThat(Files.getOwner(cache).getName())
                .as("only root gives directories away")
                .isEqualTo("root");
        Files.setOwner(
                cache, cache.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        Path log = directory.resolve("classes");

        assertThatTheVersionIsPrinted(
                Map.of("DHT_STARTUP_CACHE", parent.toString(), "DHT_JAVA_OPTS", "-Xlog:class+load:file=" + log));

        assertThat(log).content().doesNotContain("io.dht4j.server.cli.Dht source: shared objects file");
    }

    @Test
    void oneOfWhichAPartIsMissingIsMadeAgain() throws Exception {
        Path truncated = cache.resolve(made.getFileName());
        try (FileChannel file = FileChannel.open(truncated, StandardOpenOption.WRITE)) {
            file.truncate(Files.size(truncated) / 2);
        }

        assertThatTheVersionIsPrinted(Map.of("DHT_STARTUP_CACHE", parent.toString()));

        awaitArchive(cache);
    }

    @Test
    void filesOfTheUserStay() throws Exception {
        FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(40)));
        List<Path> kept = List.of(
                parent.resolve("training.notes"),
                parent.resolve("training.2026/report"),
                parent.resolve("start-here"),
                parent.resolve("start-1-2.3"),
                parent.resolve("project/start-1-2.3"),
                cache.resolve("start-here"),
                cache.resolve("start-1-2.3 of May"),
                cache.resolve("training.notes"),
                cache.resolve("start-7-8.9/start-1-2.3"));
        for (Path file : kept) {
            Files.createDirectories(file.getParent());
            Files.setLastModifiedTime(Files.createFile(file), longAgo);
        }
        for (String name : List.of("training.2026", "project")) {
            Files.setLastModifiedTime(parent.resolve(name), longAgo);
        }
        Files.setLastModifiedTime(cache.resolve("start-7-8.9"), longAgo);
        Path old = Files.setLastModifiedTime(Files.createFile(cache.resolve("start-123-456.0")), longAgo);
        Files.delete(cache.resolve(made.getFileName()));

        assertThatTheVersionIsPrinted(Map.of("DHT_STARTUP_CACHE", parent.toString()));

        await().atMost(PATIENCE).until(() -> Files.notExists(old));
        assertThat(kept).allSatisfy(file -> assertThat(file).exists());
        // Its size, and with it the end of its name, may differ from that of the first one.
        assertThat(files(cache)).anyMatch(file -> file.getFileName().toString().matches("start-\\d+-\\d+\\.\\d{7,}"));
    }

    @Test
    void aRelativeDirectoryIsThatOfTheCaller() throws Exception {
        Path relative = Path.of("").toAbsolutePath().relativize(parent);
        Files.delete(cache.resolve(made.getFileName()));

        assertThatTheVersionIsPrinted(Map.of("DHT_STARTUP_CACHE", relative.toString()));

        awaitArchive(cache);
    }

    @Test
    void anArchiveOfOtherJarsIsNotUsed() throws Exception {
        Path jar;
        try (Stream<Path> jars = Files.list(installation.resolve("lib"))) {
            jar = jars.filter(file -> file.getFileName().toString().startsWith("dht-server"))
                    .findFirst()
                    .orElseThrow();
        }
        FileTime time = Files.getLastModifiedTime(jar);
        Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
        try {
            assertThatTheVersionIsPrinted(Map.of("DHT_STARTUP_CACHE", parent.toString()));
        } finally {
            Files.setLastModifiedTime(jar, time);
        }
    }

    @Test
    void callsWorkWithoutADirectoryThatCanBeWritten() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThatTheVersionIsPrinted(Map.of("DHT_STARTUP_CACHE", file + "/cache"));
        assertThatTheVersionIsPrinted(Map.of("HOME", file.toString()));
    }

    @Test
    void itCanBeTurnedOff() throws Exception {
        assertThatTheVersionIsPrinted(Map.of("DHT_STARTUP_CACHE", "off", "HOME", directory.toString()));

        assertThat(directory.resolve(".cache")).doesNotExist();
    }
}
