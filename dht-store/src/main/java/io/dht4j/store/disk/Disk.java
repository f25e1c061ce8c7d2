package io.dht4j.store.disk;

import io.dht4j.spi.PrivateFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The calls that change a store's files. A test overrides them to simulate a failing disk. They go through
 * {@link RandomAccessFile}, which ignores interrupts. Safe for use by any number of threads; methods block.
 */
public class Disk {

    /** The machine's disk. */
    public static final Disk REAL = new Disk();

    /** With less room than this a disk counts as full. */
    public static final int LEAST_FREE_BYTES = 4 << 20;

    /** Allocated in advance: there may be no memory when it is needed. */
    private final IOException unforced =
            new IOException("the system could not force a directory to the disk, and there was no memory to say why");

    /** Opens a file for reading and writing. It is made, for its owner alone, if it does not exist. */
    public RandomAccessFile open(Path path) throws IOException {
        PrivateFiles.createIfMissing(path);
        return new RandomAccessFile(path.toFile(), "rw");
    }

    /** Opens a file as {@link #open} does; for reading only if its file system is mounted read-only. */
    public final RandomAccessFile openOrRead(Path path) throws IOException {
        return Files.exists(path) && isReadOnly(path) ? new RandomAccessFile(path.toFile(), "r") : open(path);
    }

    /** Returns whether the file system of a file is mounted read-only. */
    public boolean isReadOnly(Path path) throws IOException {
        return Files.getFileStore(path).isReadOnly();
    }

    /** Writes at the file's position. When it throws, any part may have been written. */
    public void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
        file.write(bytes, from, length);
    }

    /** Sets the length of a file. */
    public void truncate(RandomAccessFile file, Path path, long length) throws IOException {
        file.setLength(length);
    }

    /** Forces all bytes that were written to a file to the disk, by {@link #sync}. */
    public final void force(RandomAccessFile file, Path path) throws FsyncFailedException {
        try {
            sync(file, path);
        } catch (IOException e) {
            throw new FsyncFailedException(path, e);
        }
    }

    /** Calls fsync for a file. */
    public void sync(RandomAccessFile file, Path path) throws IOException {
        file.getFD().sync();
    }

    /** Renames a file within its directory, atomically, in place of a file that may have the new name. */
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Deletes a file if it exists. Returns whether it did. */
    public boolean delete(Path path) throws IOException {
        return Files.deleteIfExists(path);
    }

    /** Forces the names of a directory's files to the disk, by {@link #syncNames}. */
    public final void forceNames(Path directory) throws FsyncFailedException {
        try {
            syncNames(directory);
        } catch (IOException e) {
            throw new FsyncFailedException(directory, e);
        }
    }

    /** Calls fsync for a directory. */
    public void syncNames(Path directory) throws IOException {
        Uninterruptibly.call(() -> {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                force(channel);
            }
            return directory;
        });
    }

    /** An error here means that fsync failed, and that there was no memory for its exception. */
    private void force(FileChannel channel) throws IOException {
        try {
            channel.force(true);
        } catch (OutOfMemoryError e) {
            throw unforced;
        }
    }

    /** Returns how many bytes this process may still write to the file system of a directory. */
    public long usableBytes(Path directory) throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    /** Returns a remedy for users after a failed write; that of a full disk differs from that of a broken one. */
    public final String remedy(Path directory) {
        long free;
        try {
            if (isReadOnly(directory)) {
                return "the file system is mounted read-only: repair the disk, then mount it writable";
            }
            free = usableBytes(directory);
        } catch (IOException e) {
            return "make room or repair the disk";
        }
        String room = free < 10 << 20 ? free + " bytes" : (free >> 20) + " MiB";
        return free < LEAST_FREE_BYTES
                ? "the disk is full, with " + room + " free: make room, of " + (LEAST_FREE_BYTES >> 20)
                        + " MiB at least"
                : "the disk has " + room
                        + " free: repair it, or raise the limit of this process (quota, ulimit -f, mode)";
    }
}
