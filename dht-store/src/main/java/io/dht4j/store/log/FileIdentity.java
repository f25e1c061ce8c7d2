package io.dht4j.store.log;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the file to which a path led at a time. A process that keeps a file open continues to write to it
 * when somebody removes it, renames its directory or mounts a file system over it. No later start finds those writes.
 *
 * @param path of the file
 * @param key device and inode; null where the system has none, as on Windows, which does not allow the removal of an
 *     open file
 * @param leastBytes how long the file is at least
 */
public record FileIdentity(Path path, @Nullable Object key, long leastBytes) {

    /**
     * Returns the identity of the file that is at a path now. The file must be open: its key is not given to another
     * file before it is closed.
     *
     * @param path of a file that exists
     * @return its identity, of any length
     * @throws IOException if there is none, or its attributes cannot be read
     */
    public static FileIdentity of(Path path) throws IOException {
        return new FileIdentity(path, attributes(path).fileKey(), 0);
    }

    /**
     * Returns the identity of a file that was written and closed: any file at that path that is long enough. It has no
     * key, because some file systems give a file another one when no process has it open.
     *
     * @param path of the file
     * @param bytes its length
     * @return its identity
     */
    public static FileIdentity closed(Path path, long bytes) {
        return new FileIdentity(path, null, bytes);
    }

    /**
     * Checks whether the path still leads to the file. Blocks for a call to the file system; interrupts have no effect.
     *
     * @return its fate, for a sentence that begins with its path; empty if it is there
     * @throws IOException if that cannot be determined
     */
    public Optional<String> loss() throws IOException {
        BasicFileAttributes now;
        try {
            now = attributes(path);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.of("is not at its path any more");
        } catch (FileSystemException e) {
            if (isAboveAFile()) {
                return Optional.of("is not at its path any more");
            }
            throw e;
        }
        if (key != null && !key.equals(now.fileKey())) {
            return Optional.of("was replaced by another file");
        }
        return now.size() < leastBytes
                ? Optional.of("was cut to " + now.size() + " of its " + leastBytes + " bytes")
                : Optional.empty();
    }

    /** Returns whether a file is now where a directory was; the JDK has no exception of its own for that here. */
    private boolean isAboveAFile() {
        Path parent = path.toAbsolutePath().getParent();
        while (parent != null && Files.notExists(parent)) {
            parent = parent.getParent();
        }
        return parent != null && Files.exists(parent) && !Files.isDirectory(parent);
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class);
    }
}
