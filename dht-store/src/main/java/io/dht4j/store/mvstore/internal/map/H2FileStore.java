package io.dht4j.store.mvstore.internal.map;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.zip.ZipOutputStream;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.RandomAccessStore;
import org.h2.mvstore.SFChunk;
import org.jspecify.annotations.Nullable;

/**
 * MVStore's file, kept in an {@link UninterruptibleFile}. This is the only class that relies on internals of H2, which
 * have no contract; {@code H2FileStoreTest} fails when one of them changes:
 *
 * <ul>
 *   <li>MVStore reads and writes through these methods alone.
 *   <li>It passes a chunk to {@code writeFully} with the chunk's bytes, and null with a moved chunk or the file's
 *       header.
 *   <li>The mark of a complete chunk is at the end of its bytes, and is shorter than a sector.
 *   <li>A chunk's length is counted in blocks of 4 KiB.
 *   <li>A compaction chooses among the chunks of {@code getRewriteCandidates}, and takes null for all of them.
 * </ul>
 */
final class H2FileStore extends RandomAccessStore {

    /** A disk writes a sector as a whole or not at all. */
    static final int SECTOR_BYTES = 512;

    static final int BLOCK_BYTES = 4096;

    private final UninterruptibleFile file;

    /**
     * Whether the end of a chunk is written only after all bytes before it were forced to the disk. Otherwise the disk
     * may write the chunk's sectors in any order. After a power failure MVStore, which checks only the beginning and
     * the end of its newest chunk, could take an incomplete chunk for a complete one, or one whose older pages were in
     * reused space.
     */
    private final boolean isOrdered;

    /** A chunk with more live bytes is not rewritten. For the merging thread. */
    private long maxRewritten = Long.MAX_VALUE;

    H2FileStore(UninterruptibleFile file, boolean isOrdered, Map<String, Object> config) throws IOException {
        super(config);
        this.file = file;
        this.isOrdered = isOrdered;
        init(file.toString(), false);
        setSize(file.length());
    }

    @Override
    public void open(String fileName, boolean readOnly, char[] encryptionKey) {
        throw new IllegalStateException("the file is opened before the store");
    }

    @Override
    public H2FileStore open(String fileName, boolean readOnly) {
        throw new IllegalStateException("the file is opened before the store");
    }

    @Override
    public ByteBuffer readFully(SFChunk chunk, long position, int length) {
        if (position < 0 || length < 0 || position + length > size()) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_READING_FAILED,
                    "{0} bytes at offset {1} are beyond the end of {2}, which has {3} bytes",
                    length,
                    position,
                    file,
                    size());
        }
        byte[] bytes;
        try {
            bytes = file.read(position, length);
        } catch (EOFException e) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_READING_FAILED, "{0} ends before offset {1}", file, position + length, e);
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_READING_FAILED,
                    "cannot read {0} bytes at offset {1} of {2}",
                    length,
                    position,
                    file,
                    e);
        }
        readCount.incrementAndGet();
        readBytes.addAndGet(length);
        return ByteBuffer.wrap(bytes);
    }

    @Override
    protected void writeFully(@Nullable SFChunk chunk, long position, ByteBuffer source) {
        int length = source.remaining();
        setSize(Math.max(size(), position + length));
        try {
            file.write(position, source, isOrdered && chunk != null && length > SECTOR_BYTES ? SECTOR_BYTES : 0);
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_WRITING_FAILED,
                    "cannot write {0} bytes at offset {1} of {2}",
                    length,
                    position,
                    file,
                    e);
        }
        writeCount.incrementAndGet();
        writeBytes.addAndGet(length);
    }

    /** Returns how many bytes have been written since the file was opened. */
    long writtenBytes() {
        return writeBytes.get();
    }

    /**
     * Begins to rewrite the live pages of chunks that are mostly garbage: chunks whose live bytes are within a limit,
     * in total and for each. The next commit writes them.
     *
     * @param belowPercent the share of live bytes in all chunks above which no chunk is rewritten
     * @return whether any chunk is rewritten
     */
    boolean rewrite(int belowPercent, int limit) {
        maxRewritten = limit;
        return compact(belowPercent, limit);
    }

    /**
     * Returns the chunks that a compaction may rewrite. MVStore would let a chunk with too many live bytes displace
     * others that could be rewritten, and counts a page of more than 1 MiB as one of 2 MiB.
     */
    @Override
    public @Nullable Collection<SFChunk> getRewriteCandidates() {
        @Nullable Collection<SFChunk> chosen = super.getRewriteCandidates();
        return chosen != null
                ? chosen
                : getChunks().values().stream()
                        .filter(chunk -> chunk.maxLenLive <= maxRewritten && liveBytes(chunk) <= maxRewritten)
                        .toList();
    }

    private static long liveBytes(SFChunk chunk) {
        return (long) BLOCK_BYTES * chunk.len * chunk.maxLenLive / Math.max(1, chunk.maxLen);
    }

    @Override
    public void sync() {
        try {
            file.sync();
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_WRITING_FAILED, "cannot force {0} to the disk", file, e);
        }
    }

    @Override
    protected void truncate(long size) {
        try {
            file.truncate(size);
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_WRITING_FAILED, "cannot truncate {0} to {1} bytes", file, size, e);
        }
        setSize(Math.min(size(), size));
        writeCount.incrementAndGet();
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(DataUtils.ERROR_WRITING_FAILED, "cannot close {0}", file, e);
        } finally {
            super.close();
        }
    }

    @Override
    public void backup(ZipOutputStream out) {
        throw DataUtils.newMVStoreException(
                DataUtils.ERROR_INTERNAL, "{0} is backed up by copying its directory", file);
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
