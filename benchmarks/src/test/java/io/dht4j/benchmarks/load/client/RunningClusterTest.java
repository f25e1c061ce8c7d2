package io.dht4j.benchmarks.load.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class RunningClusterTest {

    private Cluster node;
    private HttpApi api;
    private String address;

    @BeforeEach
    void start() {
        int port = FreePorts.find();
        address = "127.0.0.1:" + port;
        // The API shares the port of the peers, which also takes HTTP/2.
        HttpTransport transport = HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port));
        node = ClusterBuilder.of("n1", Topology.of(Node.of("n1", address)))
                .transport(transport)
                .store(new MemoryStore())
                .start();
        api = HttpApi.sharing(transport, node, HttpApiOptions.defaults());
    }

    @AfterEach
    void stop() {
        api.close();
        node.close();
    }

    private static RunningCluster at(ClientSpec spec) {
        return new RunningCluster(spec.withKeyPrefix("mine-"));
    }

    /** Returns an address at which nothing listens. */
    private static String deadAddress() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "127.0.0.1:" + free.getLocalPort();
        }
    }

    private Set<String> keys() throws Exception {
        Set<String> keys = new ConcurrentSkipListSet<>();
        node.scan(KeyRange.all())
                .forEach(entry -> keys.add(entry.key().toString()))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        return keys;
    }

    @Test
    void keysAreDeletedThoughOneOfTheNodesHasDied() throws Exception {
        for (int i = 0; i < 20; i++) {
            node.put(Key.of("mine-" + i), new byte[1]).toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        node.put(Key.of("mine"), new byte[1]).toCompletableFuture().get(30, TimeUnit.SECONDS);

        try (RunningCluster cluster = at(ClientSpec.http(List.of(deadAddress(), address)))) {
            assertThat(cluster.deleteKeys()).isEqualTo(20);
        }

        assertThat(keys()).containsExactly("mine");
    }

    @Test
    void twoAddressesOfOneNodeAreRefused() {
        String other = "localhost:" + address.substring(address.indexOf(':') + 1);
        try (RunningCluster cluster = at(ClientSpec.http(List.of(address, other)))) {
            assertThatThrownBy(cluster::requireReachable)
                    .isInstanceOf(IOException.class)
                    .hasMessage(address + " and " + other + " are the same node, n1");
        }
    }

    @Test
    void aPortOfTheOtherApiIsRefusedInWords() {
        try (RunningCluster cluster = at(ClientSpec.grpc(List.of(address)))) {
            assertThatThrownBy(cluster::requireReachable)
                    .hasMessage("no status of the node at " + address
                            + " over grpc: it does not speak gRPC; is this an HTTP port?");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNodeThatHangsUpMayNeedTls(boolean resets) throws Exception {
        try (HangingUp node = new HangingUp(resets);
                RunningCluster cluster = at(ClientSpec.http(List.of(node.address())))) {
            assertThatThrownBy(cluster::requireReachable)
                    .hasMessageStartingWith("no status of the node at " + node.address() + " over http: ")
                    .hasMessageEndingWith("; does it need --tls-ca, or is it the port of another API?");
        }
    }

    @Test
    void aNodeThatFailsIsNotAskedAgainWhileOthersDelete() throws Exception {
        for (int i = 0; i < 20; i++) {
            node.put(Key.of("mine-" + i), new byte[1]).toCompletableFuture().get(30, TimeUnit.SECONDS);
        }

        try (HangingUp failing = new HangingUp(false);
                RunningCluster cluster = at(ClientSpec.http(List.of(failing.address(), address)))) {
            assertThat(cluster.deleteKeys()).isEqualTo(20);
            assertThat(failing.requests()).isEqualTo(1);
        }

        assertThat(keys()).isEmpty();
    }

    /** Takes connections, and closes each at its first byte. */
    private static final class HangingUp implements AutoCloseable {

        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final boolean resets;
        private final AtomicInteger requests = new AtomicInteger();

        HangingUp(boolean resets) throws IOException {
            this.resets = resets;
            Thread thread = new Thread(this::run, "hanging up");
            thread.setDaemon(true);
            thread.start();
        }

        String address() {
            return "127.0.0.1:" + server.getLocalPort();
        }

        int requests() {
            return requests.get();
        }

        private void run() {
            while (!server.isClosed()) {
                try (Socket connection = server.accept()) {
                    connection.getInputStream().read();
                    requests.incrementAndGet();
                    connection.setSoLinger(resets, 0);
                } catch (IOException e) {
                    // The client or the test has closed; a test that goes on sees that nobody answers.
                }
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
