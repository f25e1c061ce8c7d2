package io.dht4j.store.mvstore;

import io.dht4j.store.disk.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A disk that does what disks do that are full, read-only or worn out: some calls fail, for some files, while it is
 * asked to; or that is slow at a moment of a test's choice.
 */
final class FailingDisk extends Disk {

    private final SplittableRandom random;
    private volatile Predicate<Path> failingWrites = path -> false;
    private volatile Predicate<Path> doneAndFailingWrites = path -> false;
    private volatile Predicate<Path> failingOpens = path -> false;
    private volatile Predicate<Path> failingSyncs = path -> false;
    private volatile Predicate<Path> syncsWithError = path -> false;
    private volatile Predicate<Path> failingTruncates = path -> false;
    private volatile Predicate<Path> writesWithError = path -> false;
    private volatile Error error = new OutOfMemoryError("Java heap space, says this test");
    private volatile String message = "No space left on device";
    private volatile long usable = 1L << 40;
    private volatile boolean readOnly;
    private final AtomicInteger looksWithError = new AtomicInteger();
    private volatile Consumer<Path> beforeOpens = path -> {};
    private volatile BooleanSupplier readsWait = () -> false;

    FailingDisk(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Writes fail, having written a part. */
    void failWrites(Predicate<Path> files) {
        failingWrites = files;
    }

    /** Writes fail, having written all. */
    void failWritesWhenDone(Predicate<Path> files) {
        doneAndFailingWrites = files;
    }

    /** Writes end with an error of the process, having written a part. */
    void failWritesWith(Error thrown, Predicate<Path> files) {
        error = thrown;
        writesWithError = files;
    }

    /** The next time it is asked how much room there is, that ends with an error of the process. */
    void failNextLookWith(Error thrown) {
        error = thrown;
        looksWithError.set(1);
    }

    /** Files cannot be opened. */
    void failOpens(Predicate<Path> files) {
        failingOpens = files;
    }

    void failSyncs(Predicate<Path> files) {
        failingSyncs = files;
    }

    /** An fsync fails, and so does the creation of its exception, with an error of the process. */
    void failSyncsAndSayingSoWith(Error thrown, Predicate<Path> files) {
        error = thrown;
        syncsWithError = files;
    }

    /** Runs before a file is opened for writing, on the thread that opens it. */
    void beforeOpens(Consumer<Path> action) {
        beforeOpens = action;
    }

    /** A thread that reads the map waits while that is true for it; others go on. */
    void holdMapReads(BooleanSupplier whileTrue) {
        readsWait = whileTrue;
    }

    /** There is no room: nothing can be written, and files cannot grow, but they can be cut and deleted. */
    void fill() {
        usable = 12_345;
        failWrites(path -> true);
    }

    /** Nothing can be changed any more. */
    void makeReadOnly() {
        message = "Read-only file system";
        readOnly = true;
        failingWrites = path -> true;
        failingTruncates = path -> true;
        failingSyncs = path -> true;
    }

    void heal() {
        usable = 1L << 40;
        readOnly = false;
        failingWrites = path -> false;
        writesWithError = path -> false;
        doneAndFailingWrites = path -> false;
        failingOpens = path -> false;
        failingTruncates = path -> false;
        failingSyncs = path -> false;
        syncsWithError = path -> false;
    }

    static boolean isLog(Path path) {
        return String.valueOf(path.getFileName()).startsWith("log-");
    }

    static boolean isMap(Path path) {
        return path.endsWith("data.mv");
    }

    @Override
    public void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
        if (failingWrites.test(path)) {
            super.write(file, path, bytes, from, part(length));
            throw new IOException(message);
        }
        if (writesWithError.test(path)) {
            super.write(file, path, bytes, from, part(length));
            throw error;
        }
        super.write(file, path, bytes, from, length);
        if (doneAndFailingWrites.test(path)) {
            throw new IOException(message);
        }
    }

    @Override
    public RandomAccessFile open(Path path) throws IOException {
        if (readOnly || failingOpens.test(path)) {
            throw new IOException(message);
        }
        beforeOpens.accept(path);
        return isMap(path) ? new MapHandle(path) : super.open(path);
    }

    private final class MapHandle extends RandomAccessFile {

        MapHandle(Path path) throws IOException {
            super(path.toFile(), "rw");
        }

        /** Comes before each read, by a thread that holds the lock of this; others may use this while it waits. */
        @Override
        public void seek(long position) throws IOException {
            synchronized (this) {
                try {
                    while (readsWait.getAsBoolean()) {
                        wait(1);
                    }
                } catch (InterruptedException e) {
                    throw new IOException("interrupted", e);
                }
                super.seek(position);
            }
        }
    }

    @Override
    public boolean isReadOnly(Path path) {
        return readOnly;
    }

    @Override
    public long usableBytes(Path directory) {
        if (looksWithError.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw error;
        }
        return usable;
    }

    private static final class UnsaidException extends IOException {

        private static final long serialVersionUID = 1;

        private final Error error;

        UnsaidException(Error error) {
            this.error = error;
        }

        @Override
        public String toString() {
            throw error;
        }
    }

    private synchronized int part(int length) {
        return random.nextInt(length + 1);
    }

    @Override
    public void truncate(RandomAccessFile file, Path path, long length) throws IOException {
        if (failingTruncates.test(path)) {
            throw new IOException(message);
        }
        super.truncate(file, path, length);
    }

    @Override
    public void sync(RandomAccessFile file, Path path) throws IOException {
        if (failingSyncs.test(path)) {
            throw new IOException("Input/output error");
        }
        if (syncsWithError.test(path)) {
            throw new UnsaidException(error);
        }
        super.sync(file, path);
    }
}
