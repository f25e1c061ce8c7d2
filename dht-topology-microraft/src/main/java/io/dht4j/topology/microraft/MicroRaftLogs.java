package io.dht4j.topology.microraft;

import io.dht4j.spi.Environment;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the logs of a node below one directory. A node has another identity in the log each time that it becomes a
 * member, so each has a directory of its own, named by it; those of earlier ones are deleted. Immutable.
 *
 * @param directory created if it does not exist, but not its parent. If it is emptied, give the node a new incarnation
 *     too
 */
public record MicroRaftLogs(Path directory) implements TopologyLogFactory {

    private static final Logger LOG = LoggerFactory.getLogger(MicroRaftLogs.class);

    /**
     * Checks the directory.
     *
     * @throws StoreException if it is a file
     */
    public MicroRaftLogs {
        if (Files.isRegularFile(Objects.requireNonNull(directory, "directory"))) {
            throw new StoreException(directory + " cannot be the directory of topology logs (it is a file)");
        }
    }

    @Override
    public TopologyLog open(NodeRef self, List<NodeRef> initialMembers, Environment environment) {
        Path own = directory.resolve(self.incarnation().toString());
        try {
            // Not of a link to a directory: Java 17 refuses that.
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory);
            }
        } catch (IOException e) {
            throw new StoreException(
                    "the directory " + directory + " of the topology log cannot be made: " + FileFailure.inWords(e), e);
        }
        TopologyLog log = MicroRaftTopologyLog.open(MicroRaftOptions.of(self, initialMembers, own), environment);
        deleteOthers(own);
        return log;
    }

    private void deleteOthers(Path own) {
        try (Stream<Path> all = Files.list(directory)) {
            for (Path other :
                    all.filter(path -> !path.equals(own) && isIdentity(path)).toList()) {
                delete(other);
            }
        } catch (IOException e) {
            LOG.warn("earlier topology logs in {} cannot be deleted; nothing needs them", directory, e);
        }
    }

    private static boolean isIdentity(Path path) {
        String name = String.valueOf(path.getFileName());
        try {
            return UUID.fromString(name).toString().equals(name);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }
}
