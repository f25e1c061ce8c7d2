package io.dht4j.server.backup;

import io.dht4j.server.client.ClientException;
import io.dht4j.spi.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;

/**
 * Admits one writer at a time to a snapshot's directory, by a lock on a file beside it. The lock ends with its process,
 * so that a killed process blocks no other. For one thread.
 */
final class SnapshotLock implements AutoCloseable {

    private final Path file;
    private final FileChannel channel;

    private SnapshotLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Takes the lock of a directory. Does not wait for it.
     *
     * @param directory where the snapshot will be
     * @return the lock, held until it is closed
     * @throws IOException if the file beside the directory cannot be made or locked
     * @throws ClientException if another process holds the lock
     */
    static SnapshotLock take(Path directory) throws IOException, ClientException {
        Path file = directory.resolveSibling(directory.getFileName() + ".lock");
        while (true) {
            try {
                PrivateFiles.create(file);
            } catch (AccessDeniedException e) {
                // The user knows the name of the snapshot, and not that of its lock.
                throw new AccessDeniedException(directory.toString());
            } catch (FileAlreadyExistsException e) {
                // Held, or left behind by a killed process: an attempt to lock it decides which.
            }
            Optional<Object> before = identity(file);
            Optional<FileChannel> channel = open(file);
            if (channel.isEmpty()) {
                continue;
            }
            SnapshotLock lock = new SnapshotLock(file, channel.get());
            try {
                lock.hold(directory);
                // A file that its holder has removed in the meantime would exclude no process.
                if (before.isPresent() && before.equals(identity(file))) {
                    return lock;
                }
            } catch (IOException | ClientException | RuntimeException e) {
                channel.get().close();
                throw e;
            }
            channel.get().close();
        }
    }

    private static Optional<FileChannel> open(Path file) throws IOException {
        try {
            return Optional.of(FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the identity of a file, which differs from that of another file of the same name, where the system has
     * one; empty if there is no file.
     */
    private static Optional<Object> identity(Path file) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Optional.of(Objects.requireNonNullElse(attributes.fileKey(), ""));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private void hold(Path directory) throws IOException, ClientException {
        boolean held;
        try {
            held = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            held = false;
        }
        if (!held) {
            throw new ClientException("another snapshot is being written to " + directory + " (it holds " + file
                    + "); wait until it has ended, or choose another directory");
        }
    }

    /** Releases the lock, and removes the file. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try {
                Files.deleteIfExists(file);
            } finally {
                channel.close();
            }
        }
    }
}
