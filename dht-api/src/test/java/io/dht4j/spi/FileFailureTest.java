package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileFailureTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "AccessDeniedException,no permission for /data/n1",
        "NoSuchFileException,/data/n1 does not exist",
        "NotDirectoryException,/data/n1 is not a directory",
        "FileAlreadyExistsException,/data/n1 exists already",
        "FileSystemException,cannot use /data/n1"
    })
    void aFailureThatHasOnlyThePathIsDescribed(String type, String words) throws Exception {
        FileSystemException failure = (FileSystemException) Class.forName("java.nio.file." + type)
                .getConstructor(String.class)
                .newInstance("/data/n1");

        assertThat(FileFailure.inWords(failure)).isEqualTo(words);
    }

    @Test
    void theReasonOfTheSystemComesWithThePath() {
        assertThat(FileFailure.inWords(new FileSystemException("/data/n1", null, "Too many open files")))
                .isEqualTo("Too many open files: /data/n1");
    }

    @Test
    void whatTheSystemThrowsIsDescribed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(failureOf(directory.resolve("none"))).isEqualTo(directory.resolve("none") + " does not exist");
        assertThat(failureOf(file)).isEqualTo(file + " is not a directory");
    }

    private static String failureOf(Path listed) {
        try (var files = Files.newDirectoryStream(listed)) {
            return "listed " + files;
        } catch (IOException e) {
            return FileFailure.inWords(e);
        }
    }

    @Test
    void otherFailuresKeepTheirText() {
        assertThat(FileFailure.inWords(new IOException("No space left on device")))
                .isEqualTo("No space left on device");
        assertThat(FileFailure.inWords(new StoreException("/data/n1 is full"))).isEqualTo("/data/n1 is full");
        assertThat(FileFailure.inWords(new ClosedChannelException())).contains("ClosedChannelException");
        assertThat(FileFailure.inWords(new OutOfMemoryError("Java heap space"))).contains("OutOfMemoryError");
    }
}
