package io.dht4j.store.mvstore;

import io.dht4j.store.log.LogFormat;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * The end of the log. Written through {@link RandomAccessFile}, which takes no notice of interrupts. For one thread at a
 * time.
 */
final class SegmentWriter implements AutoCloseable {

    private final long id;
    private final Path file;
    private final RandomAccessFile out;

    private SegmentWriter(long id, Path file, RandomAccessFile out) {
        this.id = id;
        this.file = file;
        this.out = out;
    }

    /** Makes a segment that holds its header only, and forces its name and header to the disk where that is asked for. */
    static SegmentWriter create(StoreDirectory directory, long id, Durability durability) throws IOException {
        Path file = directory.segmentFile(id);
        RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw");
        try {
            out.setLength(0);
            out.write(LogFormat.segmentHeader(id));
            if (durability == Durability.FSYNC) {
                out.getFD().sync();
                directory.sync();
            }
            return new SegmentWriter(id, file, out);
        } catch (IOException | RuntimeException e) {
            out.close();
            throw e;
        }
    }

    long id() {
        return id;
    }

    Path file() {
        return file;
    }

    void append(byte[] bytes, int length) throws IOException {
        out.write(bytes, 0, length);
    }

    void force() throws IOException {
        out.getFD().sync();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
