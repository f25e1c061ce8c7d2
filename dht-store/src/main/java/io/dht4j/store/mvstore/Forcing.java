package io.dht4j.store.mvstore;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * Forces a store's files to the disk, and remembers where that failed. It is noted where the system's call fails,
 * before anything is allocated: when there is no memory left for an exception, what arrives at the callers is an
 * {@link OutOfMemoryError}, which would pass for one that has nothing to do with the disk. Safe for use by any number
 * of threads.
 */
final class Forcing {

    private final Disk disk;
    private volatile boolean failed;
    private volatile boolean mapFailed;
    private volatile long sinceMillis;

    Forcing(Disk disk) {
        this.disk = disk;
    }

    /** Forces a segment of the log. */
    void log(RandomAccessFile file, Path path) throws ForceFailedException {
        boolean done = false;
        try {
            disk.force(file, path);
            done = true;
        } finally {
            if (!done) {
                noteFailure();
            }
        }
    }

    /** Forces the file of the map. */
    void map(RandomAccessFile file, Path path) throws ForceFailedException {
        boolean done = false;
        try {
            disk.force(file, path);
            done = true;
        } finally {
            if (!done) {
                mapFailed = true;
                noteFailure();
            }
        }
    }

    /** Forces the names of files that were made or deleted. */
    void names(Path directory) throws ForceFailedException {
        try {
            disk.syncNames(directory);
        } catch (IOException e) {
            noteFailure();
            throw new ForceFailedException(directory, e);
        }
    }

    private void noteFailure() {
        sinceMillis = System.currentTimeMillis();
        failed = true;
    }

    /** Whether something could not be forced to the disk since the store was opened. */
    boolean hasFailed() {
        return failed;
    }

    /** Whether that was the file of the map. */
    boolean hasFailedForMap() {
        return mapFailed;
    }

    /** When it was, in milliseconds since 1970. */
    long sinceMillis() {
        return sinceMillis;
    }
}
