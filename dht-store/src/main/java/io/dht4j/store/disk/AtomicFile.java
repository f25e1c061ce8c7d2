package io.dht4j.store.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Writes files that exist as a whole or not at all. */
public final class AtomicFile {

    /** The suffix of the name of a file that is not complete. */
    public static final String DRAFT_SUFFIX = ".tmp";

    private AtomicFile() {}

    /**
     * Writes a file, in place of one that may exist. It is on the disk on return.
     *
     * @param disk the disk
     * @param directory where
     * @param name the file's name
     * @param content its content
     * @throws IOException if that fails; the file is then the old one or the new one
     */
    public static void write(Disk disk, Path directory, String name, ByteBuffer content) throws IOException {
        byte[] bytes = new byte[content.remaining()];
        content.get(bytes);
        write(disk, directory, name, bytes);
    }

    /** Writes a file of these bytes, in place of one that may exist. It is on the disk on return. */
    public static void write(Disk disk, Path directory, String name, byte[] bytes) throws IOException {
        Path draft = directory.resolve(name + DRAFT_SUFFIX);
        try (RandomAccessFile out = disk.open(draft)) {
            disk.truncate(out, draft, 0);
            disk.write(out, draft, bytes, 0, bytes.length);
            disk.force(out, draft);
        }
        disk.rename(draft, directory.resolve(name));
        disk.forceNames(directory);
    }
}
