package io.dht4j.store.mvstore;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Files that are there as a whole or not at all. */
final class AtomicFile {

    /** What the name of a file ends with that is not complete. */
    static final String DRAFT_SUFFIX = ".tmp";

    private AtomicFile() {}

    /** Writes a file in place of one that may be there. It is on the disk on return. */
    static void write(Disk disk, Path directory, String name, ByteBuffer content) throws IOException {
        byte[] bytes = new byte[content.remaining()];
        content.get(bytes);
        write(disk, directory, name, bytes);
    }

    /** As above, of a whole array. */
    static void write(Disk disk, Path directory, String name, byte[] bytes) throws IOException {
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
