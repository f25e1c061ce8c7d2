package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.GrpcMode;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The public API in front of a cluster whose nodes themselves talk over gRPC. */
@Timeout(60)
@Tag("jdk")
class GrpcApiOverGrpcTest {

    private static final int WRITES = 300;

    private static Node node(String id) {
        return Node.of(id, "127.0.0.1:" + FreePorts.find());
    }

    @ParameterizedTest
    @EnumSource
    void writeConfirmedByOneReplicaReachesTheOthers(GrpcMode mode) throws Exception {
        Topology topology = Topology.of(node("n1"), node("n2"), node("n3"));
        List<Cluster> clusters = new ArrayList<>();
        CallOptions options = CallOptions.defaults().withTimeout(PATIENCE);
        try {
            for (Node node : topology.nodes()) {
                int port = Integer.parseInt(node.address().substring(10));
                clusters.add(ClusterBuilder.of(node.id(), topology)
                        .transport(GrpcTransport.create(
                                GrpcTransportOptions.at("127.0.0.1", port).withMode(mode)))
                        .store(new MemoryStore())
                        .drainTimeout(Duration.ofSeconds(1))
                        .start());
            }
            try (GrpcApi api = GrpcApi.listening("127.0.0.1", 0, clusters.get(0), GrpcApiOptions.defaults());
                    GrpcRemote client = GrpcRemote.create(GrpcRemoteOptions.defaults())) {
                String address = "127.0.0.1:" + api.port();
                List<CompletionStage<Version>> writes = new ArrayList<>();
                for (int i = 0; i < WRITES; i++) {
                    writes.add(client.put(address, Key.of("key " + i), new byte[1000], options.withPolicy(1, 3)));
                }
                for (CompletionStage<Version> write : writes) {
                    write.toCompletableFuture().get(30, TimeUnit.SECONDS);
                }
                for (Cluster cluster : clusters) {
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(held(cluster)).hasSize(WRITES));
                }
            }
        } finally {
            clusters.forEach(Cluster::close);
        }
    }

    private static List<KeyValue> held(Cluster cluster) throws Exception {
        List<KeyValue> entries = new ArrayList<>();
        cluster.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                .forEach(entries::add)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        return entries;
    }
}
