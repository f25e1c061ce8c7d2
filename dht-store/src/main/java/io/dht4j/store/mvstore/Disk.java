package io.dht4j.store.mvstore;

import io.dht4j.spi.PrivateFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The calls that change files of a store, in one place, so that a test can put in their place what disks do that fail.
 * Through {@link RandomAccessFile}, which takes no notice of interrupts.
 */
class Disk {

    /** The disk of the machine. */
    static final Disk REAL = new Disk();

    /** Made before there is no memory for it. */
    private final IOException unforced =
            new IOException("the system could not force a directory to the disk, and there was no memory to say why");

    /** Opens a file for reading and writing, which is made, for its owner alone, if it does not exist. */
    RandomAccessFile open(Path path) throws IOException {
        PrivateFiles.createIfMissing(path);
        return new RandomAccessFile(path.toFile(), "rw");
    }

    /** Opens a file as {@link #open} does; one that exists, on a file system that is mounted read-only, to be read. */
    final RandomAccessFile openOrRead(Path path) throws IOException {
        return Files.exists(path) && isReadOnly(path) ? new RandomAccessFile(path.toFile(), "r") : open(path);
    }

    /** Whether a file is on a file system that is mounted read-only. */
    boolean isReadOnly(Path path) throws IOException {
        return Files.getFileStore(path).isReadOnly();
    }

    /** Writes at the file's position. When it throws, any part may have been written. */
    void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
        file.write(bytes, from, length);
    }

    void truncate(RandomAccessFile file, Path path, long length) throws IOException {
        file.setLength(length);
    }

    /** Forces everything that was written to a file to the disk. */
    final void force(RandomAccessFile file, Path path) throws ForceFailedException {
        try {
            sync(file, path);
        } catch (IOException e) {
            throw new ForceFailedException(path, e);
        }
    }

    void sync(RandomAccessFile file, Path path) throws IOException {
        file.getFD().sync();
    }

    /** Gives a file another name of the same directory, in place of a file that may have it. */
    void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Deletes a file if it exists, and tells whether it did. */
    boolean delete(Path path) throws IOException {
        return Files.deleteIfExists(path);
    }

    /** Forces the names of files that were made, renamed or deleted in a directory to the disk. */
    final void forceNames(Path directory) throws ForceFailedException {
        try {
            syncNames(directory);
        } catch (IOException e) {
            throw new ForceFailedException(directory, e);
        }
    }

    void syncNames(Path directory) throws IOException {
        Uninterruptibly.call(() -> {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                force(channel);
            }
            return directory;
        });
    }

    /** An Error here stands for the exception that there was no memory for; one before says nothing of the disk. */
    private void force(FileChannel channel) throws IOException {
        try {
            channel.force(true);
        } catch (OutOfMemoryError e) {
            throw unforced;
        }
    }

    /** How many bytes this process may still write to the file system that has a directory. */
    long usableBytes(Path directory) throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    /** What helps where something could not be written: tells a full disk from a broken one. */
    final String remedy(Path directory) {
        long free;
        try {
            if (isReadOnly(directory)) {
                return "the file system is mounted read-only: mend the disk, then mount it to be written";
            }
            free = usableBytes(directory);
        } catch (IOException e) {
            return "make room or mend the disk";
        }
        String room = free < 10 << 20 ? free + " bytes" : (free >> 20) + " MiB";
        return free < StoreDirectory.PROBE_BYTES
                ? "the disk is full, with " + room + " free: make room, of " + (StoreDirectory.PROBE_BYTES >> 20)
                        + " MiB at least"
                : "the disk has " + room + " free: mend it, or raise what limits this process (quota, ulimit -f, mode)";
    }
}
