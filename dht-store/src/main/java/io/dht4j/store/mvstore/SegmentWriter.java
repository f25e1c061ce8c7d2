package io.dht4j.store.mvstore;

import io.dht4j.store.log.LogFormat;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of the log. For one thread at a time. */
final class SegmentWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentWriter.class);
    private static final int PIECE_BYTES = 1 << 20;

    private final long id;
    private final Path file;
    private final Disk disk;
    private final Forcing forcing;
    private final RandomAccessFile out;
    /** Up to where the file is as it should be. */
    private long length = LogFormat.SEGMENT_HEADER_BYTES;

    private boolean torn;

    private SegmentWriter(long id, Path file, StoreDirectory directory, RandomAccessFile out) {
        this.id = id;
        this.file = file;
        this.disk = directory.disk();
        this.forcing = directory.forcing();
        this.out = out;
    }

    /**
     * Makes a segment that holds its header only, and forces its name and header to the disk where that is asked for.
     */
    static SegmentWriter create(StoreDirectory directory, long id, Durability durability) throws IOException {
        Path file = directory.segmentFile(id);
        Disk disk = directory.disk();
        RandomAccessFile out = disk.open(file);
        try {
            disk.truncate(out, file, 0);
            disk.write(out, file, LogFormat.segmentHeader(id), 0, LogFormat.SEGMENT_HEADER_BYTES);
            if (durability == Durability.FSYNC) {
                directory.forcing().log(out, file);
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

    /** Closes and deletes a segment that was begun, and was not gone on with because of a failure. */
    void discard(StoreDirectory directory, Throwable failure) {
        discard(directory, file, out, failure);
    }

    /** What was not finished must not look like a segment that follows the one that goes on, nor be missed. */
    private static void discard(StoreDirectory directory, Path file, RandomAccessFile out, Throwable failure) {
        directory.files().forget(file);
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

    /**
     * Writes a frame, and forces it to the disk where that is asked for. What an earlier write left that failed is cut
     * off first.
     */
    void append(byte[] bytes, int count, boolean forced) throws IOException {
        mend();
        torn = true;
        disk.write(out, file, bytes, 0, count);
        if (forced) {
            forcing.log(out, file);
        }
        length += count;
        torn = false;
    }

    /**
     * As {@link #append(byte[], int, boolean)}, of a frame that is not in one piece, so that large values need no copy.
     *
     * @param parts what stands behind each other, each up to its limit
     */
    void append(List<ByteBuffer> parts, boolean forced) throws IOException {
        mend();
        torn = true;
        long count = 0;
        for (ByteBuffer part : parts) {
            // The system's copy of what is written is as large as the piece.
            for (int from = part.position(); from < part.limit(); from += PIECE_BYTES) {
                int piece = Math.min(PIECE_BYTES, part.limit() - from);
                disk.write(out, file, part.array(), part.arrayOffset() + from, piece);
            }
            count += part.remaining();
        }
        if (forced) {
            forcing.log(out, file);
        }
        length += count;
        torn = false;
    }

    /** Cuts off what a write left that failed in the middle, and was not acknowledged. */
    void mend() throws IOException {
        if (torn) {
            disk.truncate(out, file, length);
            out.seek(length);
            torn = false;
        }
    }

    /** Says that another segment follows, so that its absence is noticed. What cannot be said does no harm. */
    void seal() throws IOException {
        try {
            append(LogFormat.seal(), LogFormat.SEAL_BYTES, false);
        } catch (IOException e) {
            LOG.warn("{} cannot be marked as complete ({})", file, e.toString());
            mend();
        }
    }

    void force() throws IOException {
        forcing.log(out, file);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
