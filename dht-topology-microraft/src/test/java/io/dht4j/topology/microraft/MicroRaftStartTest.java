package io.dht4j.topology.microraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.NodeId;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.TopologyLog;
import io.dht4j.testkit.time.ForwardingEnvironment;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that opens, and cannot start. */
class MicroRaftStartTest {

    private static final NodeRef SELF = new NodeRef(new NodeId("n1"), new UUID(1, 1));

    @TempDir
    private Path directory;

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1, 5_000_000);

    /** Has no random numbers, without which the engine cannot be made. */
    private final Environment withoutRandom = new ForwardingEnvironment(env) {
        @Override
        public RandomGenerator random() {
            throw new IllegalStateException("no random numbers");
        }
    };

    private static final class NoCommands implements TopologyLog.Applier {

        @Override
        public void apply(long index, byte[] command) {
            throw new AssertionError("there are no commands");
        }

        @Override
        public byte[] snapshot() {
            return new byte[0];
        }

        @Override
        public void restore(long index, byte[] snapshot) {
            throw new AssertionError("there is no snapshot");
        }
    }

    @Test
    void aFileIsNoDirectoryOfLogs() throws IOException {
        Path file = Files.createFile(directory.resolve("meta"));
        assertThatThrownBy(() -> new MicroRaftLogs(file))
                .isInstanceOf(StoreException.class)
                .hasMessage(file + " cannot be the directory of topology logs (it is a file)");
    }

    @Test
    void theDirectoryOfLogsIsMadeWithItsParents() throws IOException {
        Path deep = directory.resolve("data").resolve("meta");
        new MicroRaftLogs(deep).open(SELF, List.of(SELF), env).close();
        assertThat(deep).isDirectory();
        Path link = Files.createSymbolicLink(directory.resolve("link"), deep);
        new MicroRaftLogs(link).open(SELF, List.of(SELF), env).close();
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> new MicroRaftLogs(file.resolve("meta")).open(SELF, List.of(SELF), env))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("the directory " + file.resolve("meta") + " of the topology log cannot be made")
                .hasMessageNotContaining("java.");
    }

    @Test
    void aLogWhoseEngineCannotStartFails() {
        MicroRaftOptions options = MicroRaftOptions.of(SELF, List.of(SELF), directory.resolve("log"));
        try (TopologyLog log = MicroRaftTopologyLog.open(options, withoutRandom)) {
            log.start(new NoCommands(), (to, message) -> {});
            env.advance(Duration.ofSeconds(1));
            assertThat(log.failure().toCompletableFuture())
                    .isCompletedWithValueMatching(why -> why.contains("could not start")
                            && why.contains("no random numbers")
                            && why.contains("start this node again"));
            assertThat(log.leads()).isFalse();
        }
    }
}
