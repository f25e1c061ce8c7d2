package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.disk.Uninterruptibly;
import io.dht4j.store.log.FileLocks;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The lock that keeps other processes from a directory. Its methods must run {@linkplain Uninterruptibly so}. */
public final class DirectoryLock implements AutoCloseable {

    private final FileChannel channel;
    private final FileLock lock;

    private DirectoryLock(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Locks a directory.
     *
     * @throws StoreException if it is locked already
     */
    static DirectoryLock acquire(Path directory, Disk disk) throws IOException {
        FileChannel channel = open(directory.resolve(DirectoryFormat.LOCK_FILE), disk);
        try {
            return new DirectoryLock(channel, acquire(directory, channel));
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel open(Path file, Disk disk) throws IOException {
        if (Files.exists(file) && disk.isReadOnly(file)) {
            return FileChannel.open(file, StandardOpenOption.READ);
        }
        PrivateFiles.createIfMissing(file);
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /**
     * Locks a file.
     *
     * @param path the path in the message of a failure
     * @param channel the file's
     * @return the lock, until it is released or the channel is closed
     * @throws StoreException if this process or another one has the lock
     * @throws IOException if the file cannot be locked
     */
    public static FileLock acquire(Path path, FileChannel channel) throws IOException {
        @Nullable FileLock lock;
        try {
            lock = FileLocks.tryLock(channel);
        } catch (OverlappingFileLockException e) {
            throw new StoreException(message(path, "this process"), e);
        }
        if (lock == null) {
            throw new StoreException(message(path, "another process"));
        }
        return lock;
    }

    private static String message(Path path, String by) {
        return path + " is locked: " + by + " has the store open; close it, or use another directory";
    }

    /** Releases the lock. A second call does nothing. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            lock.release();
            channel.close();
        }
    }
}
