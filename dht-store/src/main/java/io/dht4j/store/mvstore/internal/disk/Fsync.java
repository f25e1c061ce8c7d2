package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.StoreStatistics.Work;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.disk.FsyncFailedException;
import io.dht4j.store.mvstore.internal.statistics.WorkMeter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Instant;

/**
 * Forces a store's files to the disk, and remembers whether that has failed. A failure is recorded right after the
 * failed system call, before any allocation: without memory for an exception, the caller gets an
 * {@link OutOfMemoryError}, which does not show that an fsync failed. Safe for use by any number of threads; methods
 * that take a file block.
 */
public final class Fsync {

    private final Disk disk;
    private final WorkMeter meter = new WorkMeter();
    private volatile boolean failed;
    private volatile boolean mapFailed;
    private volatile Instant since = Instant.EPOCH;

    /**
     * Creates one without a failure.
     *
     * @param disk the disk
     */
    public Fsync(Disk disk) {
        this.disk = disk;
    }

    /** Forces a segment of the log to the disk. */
    public void log(RandomAccessFile file, Path path) throws FsyncFailedException {
        force(file, path, false);
    }

    /** Forces the file of the map to the disk. */
    public void map(RandomAccessFile file, Path path) throws FsyncFailedException {
        force(file, path, true);
    }

    private void force(RandomAccessFile file, Path path, boolean isMap) throws FsyncFailedException {
        boolean done = false;
        long began = System.nanoTime();
        try {
            disk.force(file, path);
            done = true;
            meter.ended(began, 0);
        } finally {
            if (!done) {
                if (isMap) {
                    mapFailed = true;
                }
                recordFailure();
            }
        }
    }

    /** Forces the names of a directory's files to the disk. */
    public void names(Path directory) throws FsyncFailedException {
        long began = System.nanoTime();
        try {
            disk.syncNames(directory);
            meter.ended(began, 0);
        } catch (IOException e) {
            recordFailure();
            throw new FsyncFailedException(directory, e);
        }
    }

    /** Returns the calls that have succeeded, and how long they took. */
    public Work succeeded() {
        return meter.sum();
    }

    private void recordFailure() {
        since = Instant.ofEpochMilli(System.currentTimeMillis());
        failed = true;
    }

    /** Returns whether an fsync has failed since the store was opened. */
    public boolean hasFailed() {
        return failed;
    }

    /** Returns whether an fsync of the map's file has failed. */
    public boolean hasFailedForMap() {
        return mapFailed;
    }

    /** Returns when the last one failed. */
    public Instant since() {
        return since;
    }
}
