package io.dht4j.store.mvstore.internal.map;

import io.dht4j.store.disk.Disk;
import io.dht4j.store.disk.FsyncFailedException;
import io.dht4j.store.mvstore.internal.disk.DirectoryLock;
import io.dht4j.store.mvstore.internal.disk.Fsync;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A locked file that interrupts do not close. A {@link java.nio.channels.FileChannel}, which MVStore's own file store
 * uses, is closed permanently, for all threads, by the interrupt of one reading thread; a {@link RandomAccessFile}
 * ignores interrupts. Because it has one position, several threads read through several handles.
 *
 * <p>Safe for use by any number of threads; methods block on the disk.
 */
final class UninterruptibleFile {

    private static final Logger LOG = LoggerFactory.getLogger(UninterruptibleFile.class);

    /** A power of two. All other operations use one more handle, because a write keeps it during its fsync. */
    private static final int READ_HANDLES = 4;

    /** Larger writes are split: the JDK copies written bytes through native memory. */
    private static final int WRITE_BYTES = 1 << 20;

    private final Path path;
    private final Disk disk;
    private final Fsync fsync;
    private final boolean isReadOnly;
    private final RandomAccessFile writer;
    private final RandomAccessFile[] readers;

    private UninterruptibleFile(Path path, Disk disk, Fsync fsync, boolean isReadOnly, List<RandomAccessFile> handles) {
        this.path = path;
        this.disk = disk;
        this.fsync = fsync;
        this.isReadOnly = isReadOnly;
        this.writer = handles.get(0);
        this.readers = handles.subList(1, handles.size()).toArray(RandomAccessFile[]::new);
    }

    /**
     * Opens a file, which is made if it does not exist, and locks it. The lock is the second one of the directory. The
     * first, on a file of its own, is lost without notice on systems where closing any handle of a file drops the
     * process's locks on it, as a second attempt to open the store in this process does.
     *
     * @throws io.dht4j.spi.StoreException if it is locked
     */
    static UninterruptibleFile open(Path path, Disk disk, Fsync fsync) throws IOException {
        List<RandomAccessFile> handles = new ArrayList<>();
        try {
            for (int i = 0; i <= READ_HANDLES; i++) {
                handles.add(disk.openOrRead(path));
            }
            UninterruptibleFile opened = new UninterruptibleFile(path, disk, fsync, disk.isReadOnly(path), handles);
            DirectoryLock.acquire(path, opened.writer.getChannel());
            return opened;
        } catch (IOException | RuntimeException | Error e) {
            closeQuietly(path, handles);
            throw e;
        }
    }

    /** Returns whether the file system was mounted read-only when the file was opened. */
    boolean isReadOnly() {
        return isReadOnly;
    }

    long length() throws IOException {
        return writer.length();
    }

    /** Reads bytes that are all within the file. */
    @SuppressWarnings("ThreadId") // only spreads threads over handles
    byte[] read(long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        RandomAccessFile handle = readers[(int) (Thread.currentThread().getId() & (READ_HANDLES - 1))];
        synchronized (handle) {
            handle.seek(position);
            handle.readFully(bytes);
        }
        return bytes;
    }

    /**
     * Writes the bytes that remain in a buffer.
     *
     * @param last the number of final bytes that are written only after the others were forced to the disk; 0 for no
     *     force
     */
    void write(long position, ByteBuffer source, int last) throws IOException {
        synchronized (writer) {
            writer.seek(position);
            if (last > 0) {
                write(source, source.remaining() - last);
                fsync.map(writer, path);
            }
            write(source, source.remaining());
        }
    }

    private void write(ByteBuffer source, int count) throws IOException {
        int left = count;
        while (left > 0) {
            int part = Math.min(WRITE_BYTES, left);
            disk.write(writer, path, source.array(), source.arrayOffset() + source.position(), part);
            source.position(source.position() + part);
            left -= part;
        }
    }

    void sync() throws FsyncFailedException {
        fsync.map(writer, path);
    }

    void truncate(long length) throws IOException {
        synchronized (writer) {
            disk.truncate(writer, path, length);
        }
    }

    void close() throws IOException {
        writer.close();
        for (RandomAccessFile reader : readers) {
            reader.close();
        }
    }

    /** Closes the file after a failure; a second one is logged. */
    void abandon() {
        closeQuietly(path, List.of(readers));
        closeQuietly(path, List.of(writer));
    }

    private static void closeQuietly(Path path, List<RandomAccessFile> handles) {
        for (RandomAccessFile handle : handles) {
            try {
                handle.close();
            } catch (IOException e) {
                LOG.warn("{} cannot be closed after a failure", path, e);
            }
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
