package io.dht4j.transport.http.clients;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.PrivateFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads one-nio's native library from a directory that no other user can write. By default one-nio loads a file with a
 * predictable name from {@code java.io.tmpdir}, of any owner, and has no option for another place.
 */
final class OneNioNatives {

    private static final Logger LOG = LoggerFactory.getLogger(OneNioNatives.class);

    private static final String PROPERTY = "java.io.tmpdir";

    private OneNioNatives() {}

    /**
     * Unpacks and loads the library, if there is one for this machine. Temporarily changes {@code java.io.tmpdir},
     * which the JDK has read before. Blocks. Must be called before any other use of one-nio's classes.
     */
    static void load() {
        String before = System.getProperty(PROPERTY);
        // Where it cannot be made, one-nio finds no library there, and uses the sockets of the JDK.
        Path own = Path.of(before, "dht4j-one-nio-" + UUID.randomUUID());
        try {
            readPropertyInJdk();
            PrivateFiles.createDirectory(own);
        } catch (IOException e) {
            LOG.warn("one-nio runs without its native library, which cannot be unpacked: {}", FileFailure.inWords(e));
        }
        System.setProperty(PROPERTY, own.toString());
        try {
            Class.forName("one.nio.os.NativeLibrary", true, OneNioNatives.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("one-nio has no class NativeLibrary", e);
        } finally {
            System.setProperty(PROPERTY, before);
            delete(own);
        }
    }

    /** The classes for temporary files read the property once, at their first use. */
    private static void readPropertyInJdk() throws IOException {
        Files.delete(File.createTempFile("dht4j-", null).toPath());
        Files.delete(Files.createTempFile("dht4j-", null));
    }

    /** The process has the library in its memory. */
    private static void delete(Path directory) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            LOG.debug("{} stays", directory, e);
        }
    }
}
