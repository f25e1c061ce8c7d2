package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.mvstore.internal.disk.Fsync;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.disk.LostFileException;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.store.mvstore.internal.disk.TrackedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The file of the map. A failed write leaves the map in memory ahead of the file, so the file is opened again, and
 * reads that had failed by that are repeated. Any number of threads read; only the merging thread writes.
 */
final class ReopenableMapFile {

    /** The number in the file that is the last segment of the log that the map has as a whole. */
    static final Key MERGED = Key.of("merged");

    private final Path path;
    private final Disk disk;
    private final Fsync fsync;
    private final TrackedFiles files;
    private final boolean isForced;
    private final long cacheBytes;
    private final Health health;

    /** Replaced under the lock of this, after a write has failed. */
    private volatile MapFile current;

    /** The last segment that is known to be in the file on the disk. For the merging thread. */
    private volatile long finished;

    private ReopenableMapFile(StoreDirectory directory, boolean isForced, long cacheBytes, Health health) {
        this.path = directory.dataFile();
        this.disk = directory.disk();
        this.fsync = directory.fsync();
        this.files = directory.files();
        this.isForced = isForced;
        this.cacheBytes = cacheBytes;
        this.health = health;
        this.current = MapFile.open(path, disk, fsync, isForced, cacheBytes);
    }

    /** Opens the file of a directory, which has one. */
    static ReopenableMapFile open(StoreDirectory directory, boolean isForced, long cacheBytes, Health health)
            throws IOException {
        ReopenableMapFile file = new ReopenableMapFile(directory, isForced, cacheBytes, health);
        try {
            file.files.opened(file.path);
            file.finished = file.number(MERGED);
        } catch (IOException | RuntimeException | Error e) {
            file.abandon();
            throw e;
        }
        return file;
    }

    Path path() {
        return path;
    }

    /** Returns the file in use. */
    MapFile current() {
        return current;
    }

    /** Records that the file on the disk has a segment as a whole. For the merging thread. */
    void segmentFinished(long segment) {
        finished = segment;
    }

    /**
     * Runs a read, and repeats it if it failed because a write had, or because the file was opened again. Any other
     * failure names the file.
     */
    <T> T reading(Function<MapFile, T> read) {
        while (true) {
            MapFile used = current;
            try {
                return used.reading(read);
            } catch (StoreException e) {
                throw e;
            } catch (RuntimeException e) {
                if (!used.isOutOfUse()) {
                    throw unreadable(e);
                }
                reopen(used);
            }
        }
    }

    /** Runs a write. */
    <T> T writing(Function<MapFile, T> write) {
        return current.writing(write);
    }

    /** Reads a number that the file has beside the entries. */
    long number(Key name) {
        return reading(map -> map.number(name));
    }

    /**
     * Opens the file again in place of the one in use, unless another thread has.
     *
     * @param used the one in use when the caller found that it needs another
     */
    synchronized void reopen(MapFile used) {
        if (current != used) {
            return;
        }
        checkFiles();
        used.abandon();
        MapFile again = MapFile.open(path, disk, fsync, isForced, cacheBytes);
        try {
            checkFiles();
            if (again.number(MERGED) < finished) {
                throw Health.damaged(path, "has fallen back behind segment " + finished + " of the log");
            }
        } catch (RuntimeException | Error e) {
            again.abandon();
            throw e;
        }
        current = again;
    }

    /** Throws if the path leads to another file, which is then not opened. */
    private void checkFiles() {
        try {
            files.check();
        } catch (LostFileException e) {
            throw new StoreException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new StoreException(path + " cannot be looked at (" + FileFailure.inWords(e) + ")", e);
        }
    }

    /** Returns the exception for a failed read: damage, unless the file has been opened again. */
    StoreException failure(MapFile used, RuntimeException cause) {
        return used.isOutOfUse()
                ? new StoreException(path + " was opened again, to be written: begin to read again", cause)
                : unreadable(cause);
    }

    /** Records damage of the file, unless the process was at fault. */
    private StoreException unreadable(RuntimeException cause) {
        @Nullable Error fault = Health.errorIn(cause);
        if (fault != null) {
            return new StoreException(
                    path + " cannot be read (" + FileFailure.inWords(fault) + "); that is no damage: try again", cause);
        }
        StoreException damage = Health.damaged(path, "cannot be read (" + Health.reason(cause) + ")", cause);
        health.damageFound(damage);
        return damage;
    }

    /** Closes the file without a write. */
    void abandon() {
        current.abandon();
    }

    /** Closes the file. It holds any part of a segment that was not finished; the log still has all of it. */
    void close() {
        MapFile map = current;
        if (map.isBroken() || health.isFailed()) {
            // The log has what did not reach the file.
            map.abandon();
            return;
        }
        boolean done = false;
        try {
            map.close();
            done = true;
        } catch (RuntimeException | AssertionError e) {
            String what = "cannot be closed (" + Health.reason(e) + ")";
            throw Health.ioFailure(e) == null
                    ? Health.damaged(path, what, e)
                    : new StoreException(path + " " + what + "; the log has what it lacks", e);
        } finally {
            if (!done) {
                map.abandon();
            }
        }
    }
}
