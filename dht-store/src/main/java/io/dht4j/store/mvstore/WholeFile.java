package io.dht4j.store.mvstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that are there as a whole or not at all. */
final class WholeFile {

    /** What the name of a file ends with that is not complete. */
    static final String DRAFT_SUFFIX = ".tmp";

    private WholeFile() {}

    /** Writes a file in place of one that may be there. It is on the disk on return. */
    static void write(Path directory, String name, ByteBuffer content) throws IOException {
        Path draft = directory.resolve(name + DRAFT_SUFFIX);
        try (FileChannel out = FileChannel.open(
                draft, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            while (content.hasRemaining()) {
                out.write(content);
            }
            out.force(true);
        }
        Files.move(draft, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        sync(directory);
    }

    /** Forces the names of files that were made or deleted to the disk. */
    static void sync(Path directory) throws ForceFailedException {
        try {
            Uninterruptibly.call(() -> {
                try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                    channel.force(true);
                }
                return directory;
            });
        } catch (IOException e) {
            throw new ForceFailedException(directory, e);
        }
    }
}
