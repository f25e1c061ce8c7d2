package io.dht4j.benchmarks.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The size of a directory's files, and its greatest observed size. Confined to one thread at a time. */
public final class DirectorySize {

    private final Path directory;
    private long largest;

    /**
     * Creates a size that is not read yet.
     *
     * @param directory exists
     */
    public DirectorySize(Path directory) {
        this.directory = directory;
    }

    /**
     * Reads the present size.
     *
     * @return bytes of the files in the directory itself
     * @throws UncheckedIOException if listing the directory fails
     */
    public long bytes() {
        long sum = 0;
        try (Stream<Path> listed = Files.list(directory)) {
            List<Path> files = listed.toList();
            for (Path file : files) {
                sum += bytes(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        largest = Math.max(largest, sum);
        return sum;
    }

    private static long bytes(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            // A log segment deleted since the listing.
            return 0;
        }
    }

    /**
     * Returns the largest size that was read.
     *
     * @return bytes
     */
    public long largest() {
        return largest;
    }
}
