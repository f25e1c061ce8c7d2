package io.dht4j.server.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.server.client.ClientException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where {@code get} and {@code dump} write with {@code --out}. */
class OutputFileTest {

    @TempDir
    private Path directory;

    private static void write(Path file, String text) throws Exception {
        try (OutputFile output = OutputFile.open(file)) {
            output.stream().write(text.getBytes(StandardCharsets.UTF_8));
            output.commit();
        }
    }

    @Test
    void aFileHasItsOldContentUntilTheNewOneIsComplete() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "old");

        try (OutputFile output = OutputFile.open(file)) {
            output.stream().write("new".getBytes(StandardCharsets.UTF_8));
            assertThat(file).hasContent("old");
        }
        assertThat(file).hasContent("old");
        write(file, "new");

        assertThat(file).hasContent("new");
        assertThat(directory).isDirectoryNotContaining(other -> !other.equals(file));
    }

    @Test
    void aFullDiskIsNamedWithTheFile() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "it stands for a disk without room");

        assertThatThrownBy(() -> write(full, "new"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageStartingWith("/dev/full: ");
    }

    @Test
    void aNewFileIsForItsOwnerAlone() throws Exception {
        Path file = directory.resolve("file");

        write(file, "new");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void permissionsOfAFileStay() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "old");
        for (String permissions : new String[] {"rw-------", "rw-rw-rw-", "rw-r-----"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));

            write(file, permissions);

            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo(permissions);
        }
    }

    @Test
    void aSymbolicLinkStaysAndTheFileThatItNamesIsWritten() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Path file = Files.writeString(elsewhere.resolve("file"), "old");
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("elsewhere", "file"));

        write(link, "new");
        assertThat(file).hasContent("new");
        Files.delete(file);
        write(link, "newer");

        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("newer");
    }

    @Test
    void aPipeAndADeviceAreWrittenDirectly() throws Exception {
        Path pipe = directory.resolve("pipe");
        assumeTrue(made("mkfifo", pipe.toString()), "the system has no pipes with names");
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try (InputStream in = Files.newInputStream(pipe)) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });

        write(pipe, "through the pipe");
        write(Path.of("/dev/null"), "into nothing");

        assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo("through the pipe");
        assertThat(Files.isRegularFile(pipe)).isFalse();
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
        assertThat(directory).isDirectoryNotContaining("glob:**.part");
    }

    private static boolean made(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void concurrentWritersEachLeaveAWholeFile() throws Exception {
        Path file = directory.resolve("file");
        try (OutputFile one = OutputFile.open(file);
                OutputFile other = OutputFile.open(file)) {
            one.stream().write("one".getBytes(StandardCharsets.UTF_8));
            other.stream().write("the other".getBytes(StandardCharsets.UTF_8));
            one.commit();
            assertThat(file).hasContent("one");
            other.commit();
            assertThat(file).hasContent("the other");
        }
        assertThat(directory).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void aFileThatMayNotBeWrittenStaysAsItIs() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        assumeTrue(!Files.isWritable(file), "this user may write every file");

        assertThatThrownBy(() -> OutputFile.open(file))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage(file.toString());

        assertThat(file).hasContent("old");
        assertThat(directory).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void unwritableDirectoryIsReportedByFileName() throws Exception {
        Path closed = Files.createDirectory(directory.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeTrue(!Files.isWritable(closed), "this user may write every directory");
        Path file = closed.resolve("file");

        assertThatThrownBy(() -> OutputFile.open(file))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage(file.toString());
    }

    @Test
    void aMissingDirectoryIsReportedByTheNameOfTheFile() {
        Path file = directory.resolve("missing").resolve("file");

        assertThatThrownBy(() -> OutputFile.open(file))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage(file.toString());
    }

    @Test
    void aDirectoryIsRefused() {
        assertThatThrownBy(() -> OutputFile.open(directory))
                .isInstanceOf(ClientException.class)
                .hasMessage(directory + " is a directory");
    }
}
