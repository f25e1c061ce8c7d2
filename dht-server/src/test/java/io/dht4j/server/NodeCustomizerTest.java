package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.Topology;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.server.config.HostPort;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.fixture.RawHttp;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class NodeCustomizerTest {

    /** Replaces every part. */
    private static final class AllParts implements NodeCustomizer {

        @Override
        public Store store(ServerConfig config, MemoryBudget memory, Supplier<Store> standard) {
            return new ForwardingStore(new MemoryStore(memory.memoryStoreBytes())) {
                @Override
                public String name() {
                    return "my-store";
                }
            };
        }

        @Override
        public Transport newTransport(ServerConfig config, Supplier<Transport> standard) {
            HostPort address = config.addresses().peer();
            return GrpcTransport.create(GrpcTransportOptions.at(address.host(), address.port()));
        }

        @Override
        public Placement placement(Placement placement) {
            return new Placement() {
                @Override
                public PartitionTable assign(Topology topology, int partitions) {
                    return Placements.modulo().assign(topology, partitions);
                }

                @Override
                public String name() {
                    return "my-placement";
                }
            };
        }

        @Override
        public HashFunction hash(HashFunction hash) {
            return new HashFunction() {
                @Override
                public long hash(byte[] bytes) {
                    return HashFunctions.murmur3().hash(bytes);
                }

                @Override
                public String name() {
                    return "my-hash";
                }
            };
        }
    }

    @Test
    void aNodeRunsWithThePartsOfItsCustomizer() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        ServerConfig config = ServerConfig.of(Map.of(
                Setting.ID,
                "n1",
                Setting.LISTEN,
                "127.0.0.1:" + ports.get(0),
                Setting.PEERS,
                "n1=127.0.0.1:" + ports.get(1),
                Setting.STORE,
                "memory"));
        try (ServerNode node = ServerNode.start(config, new AllParts())) {
            Key key = Key.of("key");
            node.cluster().put(key, "value".getBytes()).toCompletableFuture().get();
            NodeStatus status =
                    node.cluster().operations().status().toCompletableFuture().get();
            assertThat(List.of(status.store(), status.placement(), status.hash()))
                    .containsExactly("my-store", "my-placement", "my-hash");
            assertThat(status.transport()).startsWith("grpc");
            assertThat(node.cluster().get(key).toCompletableFuture().get()).isPresent();
        }
    }

    /** A coordinator of its own, without diagnostics. */
    private static final class OwnCoordinator implements NodeCustomizer {

        @Override
        public Cluster cluster(ServerConfig config, Transport transport, Store store, Supplier<Cluster> standard) {
            Cluster cluster = standard.get();
            NodeOperations real = cluster.operations();
            NodeOperations operations = new NodeOperations() {
                @Override
                public CompletionStage<NodeStatus> status() {
                    return real.status();
                }

                @Override
                public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
                    return real.repair(partitions);
                }

                @Override
                public CompletionStage<RepairStatus> repairStatus() {
                    return real.repairStatus();
                }
            };
            return (Cluster) Proxy.newProxyInstance(
                    Cluster.class.getClassLoader(),
                    new Class<?>[] {Cluster.class},
                    (proxy, method, arguments) ->
                            method.getName().equals("operations") ? operations : method.invoke(cluster, arguments));
        }
    }

    @Test
    void coordinatorWithoutDiagnosticsIsServed() throws Exception {
        int port = FreePorts.find(1).get(0);
        ServerConfig config =
                ServerConfig.of(Map.of(Setting.ID, "n1", Setting.LISTEN, "127.0.0.1:" + port, Setting.STORE, "memory"));
        try (ServerNode node = ServerNode.start(config, new OwnCoordinator())) {
            Map<String, Integer> answers = new LinkedHashMap<>();
            for (String path : List.of("/readyz", "/metrics", "/v0/status", "/v0/hot-keys", "/v0/slow-calls")) {
                try (RawHttp http = new RawHttp(port)) {
                    http.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    RawHttp.Answer answer = http.read();
                    answers.put(path, answer.status());
                    if (answer.status() == 400) {
                        assertThat(answer.text()).contains("only a node shows its");
                    }
                }
            }
            assertThat(answers.values()).containsExactly(200, 200, 200, 400, 400);
            assertThat(node.cluster().operations().diagnostics()).isEmpty();
        }
    }
}
