package io.dht4j.benchmarks.simulate;

import io.dht4j.NodeId;
import io.dht4j.simulator.HintLogs;
import io.dht4j.spi.HintLog;
import io.dht4j.store.hints.FileHintLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The hints of one simulation, in real files of a temporary directory. */
final class HintFiles implements HintLogs, AutoCloseable {

    private final Path directory;

    HintFiles() {
        try {
            directory = Files.createTempDirectory("dht-simulate");
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary directory can be made for hints", e);
        }
    }

    @Override
    public HintLog open(NodeId node) {
        return FileHintLog.open(directory.resolve(node.value()), FileHintLog.MIN_BYTES);
    }

    /** Deletes the files. */
    @Override
    public void close() {
        try (Stream<Path> found = Files.walk(directory)) {
            List<Path> deepestFirst = found.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the files in " + directory + " cannot be deleted", e);
        }
    }
}
