package io.dht4j.store.mvstore;

import io.dht4j.store.log.FileLocks;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipOutputStream;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.RandomAccessStore;
import org.h2.mvstore.SFChunk;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of the map, read and written through {@link RandomAccessFile}. MVStore's own file store reads through a
 * {@link java.nio.channels.FileChannel}, which the interrupt of one reading thread closes for all of them, for ever; a
 * {@code RandomAccessFile} takes no notice of interrupts. Since it has one position, several handles let several
 * threads read at a time.
 */
final class UninterruptibleFileStore extends RandomAccessStore {

    private static final Logger LOG = LoggerFactory.getLogger(UninterruptibleFileStore.class);

    /**
     * Those that are read by. Another one, the first, is for all else: a write that is being forced to the disk keeps
     * it for long.
     */
    private static final int READ_HANDLES = 4;

    /** Larger writes are cut into pieces: the JDK copies what it writes through native memory. */
    private static final int PIECE_BYTES = 1 << 20;

    /**
     * A disk writes so many bytes as a whole or not at all. MVStore's mark that a chunk is complete is shorter, and
     * stands at its end.
     */
    private static final int SECTOR_BYTES = 512;

    /** MVStore counts the length of chunks in these. */
    private static final int BLOCK_BYTES = 4096;

    private final Map<String, Object> config;
    private final Path file;
    private final Disk disk;
    private final Forcing forcing;

    /**
     * Whether the end of a chunk is written only when everything before is on the disk. Otherwise what is not forced
     * may reach it in any order when the power fails, and MVStore, which looks at the beginning and the end of its
     * newest chunk only, takes one for complete that is not, or one whose older pages were in space that has been
     * written again since.
     */
    private final boolean inOrder;

    private final List<RandomAccessFile> handles = new ArrayList<>();
    private @Nullable FileLock lock;
    private boolean openedToRead;

    /** Chunks of which more is used are not rewritten. For the merging thread. */
    private long mostRewritten = Long.MAX_VALUE;

    UninterruptibleFileStore(Path file, Disk disk, Forcing forcing, boolean inOrder, Map<String, Object> config) {
        super(config);
        this.inOrder = inOrder;
        this.disk = disk;
        this.forcing = forcing;
        this.config = config;
        this.file = file;
    }

    /** Opens the file, which is made if it does not exist, and locks it. */
    void open() throws IOException {
        init(file.toString(), false);
        for (int i = 0; i <= READ_HANDLES; i++) {
            handles.add(disk.openOrRead(file));
        }
        openedToRead = disk.isReadOnly(file);
        // The second lock of the directory: the first, on its own file, is lost without notice on systems where closing
        // any handle of a file drops the process's locks on it, as a second attempt to open the store in this process
        // does.
        try {
            lock = FileLocks.tryLock(handles.get(0).getChannel());
        } catch (OverlappingFileLockException e) {
            throw StoreDirectory.locked(file, "this process", e);
        }
        if (lock == null) {
            throw StoreDirectory.locked(file, "another process", null);
        }
        setSize(handles.get(0).length());
    }

    /**
     * Whether the file system was mounted read-only: if it is not any more, the file must be opened again to be
     * written.
     */
    boolean isOpenedToRead() {
        return openedToRead;
    }

    /** Closes the handles of a file that could not be opened. */
    void abandon() {
        for (RandomAccessFile handle : handles) {
            try {
                handle.close();
            } catch (IOException e) {
                LOG.warn("{} cannot be closed after it could not be opened", file, e);
            }
        }
    }

    @Override
    public void open(String fileName, boolean readOnly, char[] encryptionKey) {
        throw new IllegalStateException("the file is opened before the store");
    }

    @Override
    public UninterruptibleFileStore open(String fileName, boolean readOnly) {
        UninterruptibleFileStore other =
                new UninterruptibleFileStore(Path.of(fileName), disk, forcing, inOrder, config);
        try {
            other.open();
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(DataUtils.ERROR_READING_FAILED, "cannot open {0}", fileName, e);
        }
        return other;
    }

    @Override
    @SuppressWarnings("ThreadId") // only spreads threads over handles
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
        byte[] bytes = new byte[length];
        RandomAccessFile handle = handles.get(1 + (int) (Thread.currentThread().getId() & (READ_HANDLES - 1)));
        synchronized (handle) {
            try {
                handle.seek(position);
                handle.readFully(bytes);
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
        }
        readCount.incrementAndGet();
        readBytes.addAndGet(length);
        return ByteBuffer.wrap(bytes);
    }

    @Override
    protected void writeFully(@Nullable SFChunk chunk, long position, ByteBuffer source) {
        int length = source.remaining();
        setSize(Math.max(size(), position + length));
        RandomAccessFile handle = handles.get(0);
        synchronized (handle) {
            try {
                handle.seek(position);
                if (inOrder && chunk != null && length > SECTOR_BYTES) {
                    write(handle, source, length - SECTOR_BYTES);
                    forcing.map(handle, file);
                }
                write(handle, source, source.remaining());
            } catch (IOException e) {
                throw DataUtils.newMVStoreException(
                        DataUtils.ERROR_WRITING_FAILED,
                        "cannot write {0} bytes at offset {1} of {2}",
                        length,
                        position,
                        file,
                        e);
            }
        }
        writeCount.incrementAndGet();
        writeBytes.addAndGet(length);
    }

    private void write(RandomAccessFile handle, ByteBuffer source, int count) throws IOException {
        int left = count;
        while (left > 0) {
            int piece = Math.min(PIECE_BYTES, left);
            disk.write(handle, file, source.array(), source.arrayOffset() + source.position(), piece);
            source.position(source.position() + piece);
            left -= piece;
        }
    }

    /**
     * Begins to rewrite what is used of chunks of which little is: some of them, of which no more bytes than a limit
     * are used, together and each. The next commit writes it.
     *
     * @param belowPercent nothing is rewritten if more of all chunks than that is used
     * @return whether there was anything to rewrite
     */
    boolean rewrite(int belowPercent, int limit) {
        mostRewritten = limit;
        return compact(belowPercent, limit);
    }

    /**
     * MVStore would let a chunk of which too much is used drive others out that could be rewritten, and counts a page
     * of more than 1 MiB as one of 2 MiB.
     */
    @Override
    public @Nullable Collection<SFChunk> getRewriteCandidates() {
        @Nullable Collection<SFChunk> chosen = super.getRewriteCandidates();
        return chosen != null
                ? chosen
                : getChunks().values().stream()
                        .filter(chunk -> chunk.maxLenLive <= mostRewritten && usedBytes(chunk) <= mostRewritten)
                        .toList();
    }

    private static long usedBytes(SFChunk chunk) {
        return (long) BLOCK_BYTES * chunk.len * chunk.maxLenLive / Math.max(1, chunk.maxLen);
    }

    /** How many bytes have been written since the file was opened. */
    long writtenBytes() {
        return writeBytes.get();
    }

    @Override
    public void sync() {
        try {
            forcing.map(handles.get(0), file);
        } catch (IOException e) {
            throw DataUtils.newMVStoreException(
                    DataUtils.ERROR_WRITING_FAILED, "cannot force {0} to the disk", file, e);
        }
    }

    @Override
    protected void truncate(long size) {
        RandomAccessFile handle = handles.get(0);
        synchronized (handle) {
            try {
                disk.truncate(handle, file, size);
            } catch (IOException e) {
                throw DataUtils.newMVStoreException(
                        DataUtils.ERROR_WRITING_FAILED, "cannot truncate {0} to {1} bytes", file, size, e);
            }
        }
        setSize(Math.min(size(), size));
        writeCount.incrementAndGet();
    }

    @Override
    public void close() {
        try {
            for (RandomAccessFile handle : handles) {
                handle.close();
            }
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
