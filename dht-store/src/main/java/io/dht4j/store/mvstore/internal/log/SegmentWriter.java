package io.dht4j.store.mvstore.internal.log;

import io.dht4j.spi.FileFailure;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.log.LogFormat;
import io.dht4j.store.mvstore.internal.disk.Fsync;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last segment of the log, which is appended to. For one thread at a time; methods block on the disk. */
final class SegmentWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentWriter.class);
    private static final int WRITE_BYTES = 1 << 20;

    private final long id;
    private final Path file;
    private final Disk disk;
    private final Fsync fsync;
    private final RandomAccessFile out;
    /** The end of the last complete frame. */
    private long length = LogFormat.SEGMENT_HEADER_BYTES;

    private boolean torn;

    private SegmentWriter(long id, Path file, StoreDirectory directory, RandomAccessFile out) {
        this.id = id;
        this.file = file;
        this.disk = directory.disk();
        this.fsync = directory.fsync();
        this.out = out;
    }

    /**
     * Makes a segment with a header only.
     *
     * @param isForced whether to force its name and header to the disk
     */
    static SegmentWriter create(StoreDirectory directory, long id, boolean isForced) throws IOException {
        Path file = directory.segmentFile(id);
        Disk disk = directory.disk();
        RandomAccessFile out = disk.open(file);
        try {
            disk.truncate(out, file, 0);
            disk.write(out, file, LogFormat.segmentHeader(id), 0, LogFormat.SEGMENT_HEADER_BYTES);
            if (isForced) {
                directory.fsync().log(out, file);
                directory.sync();
            }
            SegmentWriter made = new SegmentWriter(id, file, directory, out);
            directory.files().opened(file);
            return made;
        } catch (IOException | RuntimeException | Error e) {
            discard(directory, file, out, e);
            throw e;
        }
    }

    /** Closes and deletes an empty segment after a failure. */
    void discard(StoreDirectory directory, Throwable failure) {
        discard(directory, file, out, failure);
    }

    private static void discard(StoreDirectory directory, Path file, RandomAccessFile out, Throwable failure) {
        directory.files().remove(file);
        try {
            out.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        try {
            directory.disk().delete(file);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    long id() {
        return id;
    }

    Path file() {
        return file;
    }

    long length() {
        return length;
    }

    /** Writes a frame, after the rest of a failed write was removed; forces it to the disk if asked to. */
    void append(byte[] bytes, int count, boolean forced) throws IOException {
        truncateTorn();
        torn = true;
        disk.write(out, file, bytes, 0, count);
        if (forced) {
            fsync.log(out, file);
        }
        length += count;
        torn = false;
    }

    /**
     * As {@link #append(byte[], int, boolean)}, of a frame in several buffers, so that large values are not copied.
     *
     * @param parts the frame, each part up to its limit
     */
    void append(List<ByteBuffer> parts, boolean forced) throws IOException {
        truncateTorn();
        torn = true;
        long length = 0;
        for (ByteBuffer part : parts) {
            // The JDK copies written bytes through native memory.
            for (int from = part.position(); from < part.limit(); from += WRITE_BYTES) {
                int count = Math.min(WRITE_BYTES, part.limit() - from);
                disk.write(out, file, part.array(), part.arrayOffset() + from, count);
            }
            length += part.remaining();
        }
        if (forced) {
            fsync.log(out, file);
        }
        this.length += length;
        torn = false;
    }

    /** Removes the rest of a failed write, which was not acknowledged. */
    void truncateTorn() throws IOException {
        if (torn) {
            disk.truncate(out, file, length);
            out.seek(length);
            torn = false;
        }
    }

    /** Marks the segment as followed by another one, whose absence is then noticed. A failure does no harm. */
    void seal() throws IOException {
        try {
            append(LogFormat.seal(), LogFormat.SEAL_BYTES, false);
        } catch (IOException e) {
            LOG.warn("{} cannot be marked as complete ({})", file, FileFailure.inWords(e));
            truncateTorn();
        }
    }

    void force() throws IOException {
        fsync.log(out, file);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
