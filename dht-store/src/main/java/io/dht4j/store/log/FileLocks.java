package io.dht4j.store.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import org.jspecify.annotations.Nullable;

/** Locks of files, including those on a file system that is mounted read-only. */
public final class FileLocks {

    private FileLocks() {}

    /**
     * Locks a file exclusively for this process; if the channel is not writable, only against writers.
     *
     * @param channel of the file
     * @return the lock; null if another process has one that excludes it
     * @throws java.nio.channels.OverlappingFileLockException if this process has one
     * @throws IOException if the file cannot be locked
     */
    public static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (NonWritableChannelException e) {
            return channel.tryLock(0, Long.MAX_VALUE, true);
        }
    }
}
