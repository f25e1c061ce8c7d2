package io.dht4j.benchmarks.simulate;

import io.dht4j.benchmarks.files.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory for the files of one simulation. */
final class TemporaryDirectory implements AutoCloseable {

    private final Path path;

    TemporaryDirectory() {
        try {
            path = Files.createTempDirectory("dht-simulate");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary directory can be made for a simulation", e);
        }
    }

    Path path() {
        return path;
    }

    /** Deletes the directory and its content. */
    @Override
    public void close() {
        try {
            Directories.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException("the files in " + path + " cannot be deleted", e);
        }
    }
}
