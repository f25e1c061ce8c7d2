package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.StoreProblem;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.spi.Entry;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.RemoteApi;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The APIs of a server name commands where the node in it names calls. */
class ShellAnswersTest {

    private static final String DAMAGE = "data.mv: damaged; ";
    private static final String CALL = DAMAGE + "start the node after Rebuild.begin, which puts it aside";
    private static final String COMMAND = DAMAGE + "start the server with --rebuild, which puts it aside";

    /** Gives a node a store that is damaged. */
    private static final class Damaged implements NodeCustomizer {

        @Override
        public Store store(ServerConfig config, MemoryBudget memory, Supplier<Store> standard) {
            return new ForwardingStore(new MemoryStore(memory.memoryStoreBytes())) {
                @Override
                public Optional<Entry> get(Key key) {
                    throw new StoreException(CALL);
                }

                @Override
                public boolean isMemoryFast() {
                    return false;
                }

                @Override
                public List<StoreProblem> problems() {
                    return List.of(new StoreProblem(StoreProblem.Kind.DAMAGED_DATA, Instant.EPOCH, CALL));
                }
            };
        }
    }

    private List<Integer> ports;
    private ServerNode node;

    @BeforeEach
    void start() throws Exception {
        ports = FreePorts.find(3);
        node = ServerNode.start(
                ServerConfig.of(Map.of(
                        Setting.ID,
                        "n1",
                        Setting.LISTEN,
                        "127.0.0.1:" + ports.get(0),
                        Setting.GRPC_LISTEN,
                        "127.0.0.1:" + ports.get(1),
                        Setting.PEERS,
                        "n1=127.0.0.1:" + ports.get(2),
                        Setting.STORE,
                        "memory")),
                new Damaged());
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void answersOverHttpNameCommands() {
        try (HttpRemote protocol = HttpRemote.create(HttpRemoteOptions.defaults())) {
            assertCommands(protocol, ports.get(0));
        }
    }

    @Test
    void answersOverGrpcNameCommands() {
        try (GrpcRemote protocol = GrpcRemote.create(GrpcRemoteOptions.defaults())) {
            assertCommands(protocol, ports.get(1));
        }
    }

    @Test
    void theNodeItselfNamesCalls() {
        assertThat(join(node.cluster().operations().status()).storeProblems())
                .extracting(StoreProblem::message)
                .containsExactly(CALL);
        assertThatThrownBy(() -> join(node.cluster().membership().status()))
                .hasMessageContaining("with Membership.bootstrap in place of a Topology");
    }

    private static void assertCommands(RemoteApi protocol, int port) {
        try (Cluster remote = RemoteCluster.connect(protocol, List.of("127.0.0.1:" + port), RemoteOptions.defaults())) {
            assertThat(join(remote.operations().status()).storeProblems())
                    .extracting(StoreProblem::message)
                    .containsExactly(COMMAND);
            assertThatThrownBy(() -> join(remote.get(Key.of("key")))).hasMessageContaining(COMMAND);
            assertThatThrownBy(() -> join(remote.membership().status()))
                    .hasMessageContaining("with --bootstrap in place of --peers");
        }
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
