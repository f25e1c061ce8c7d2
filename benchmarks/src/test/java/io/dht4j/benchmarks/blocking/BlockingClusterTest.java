package io.dht4j.benchmarks.blocking;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.LoopbackNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BlockingClusterTest {

    private static final Node[] NODES = {Node.of("n1", "n1:1"), Node.of("n2", "n2:1"), Node.of("n3", "n3:1")};
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final SystemEnvironment environment = SystemEnvironment.create("test");
    private final List<Cluster> clusters = new ArrayList<>();

    @BeforeEach
    void start() {
        LoopbackNetwork network = LoopbackNetwork.on(environment);
        Topology topology = Topology.of(NODES);
        for (Node node : NODES) {
            clusters.add(new BlockingCluster(node, topology, network.transport(node.address()), new MemoryStore(), 4));
        }
    }

    @AfterEach
    void stop() {
        clusters.forEach(Cluster::close);
        environment.close();
    }

    @Test
    void whatOneNodeWritesTheOthersRead() {
        Key key = Key.of("key");
        join(clusters.get(0).put(key, "first".getBytes(UTF_8), ALL));
        join(clusters.get(1).put(key, "second".getBytes(UTF_8), ALL));

        for (Cluster cluster : clusters) {
            assertThat(join(cluster.get(key, ALL)).map(Value::text)).contains("second");
        }
        join(clusters.get(2).delete(key, ALL));
        assertThat(join(clusters.get(0).get(key, ALL))).isEqualTo(Optional.empty());
    }

    @Test
    void moreRequestsThanWorkersAreAllServed() {
        List<CompletableFuture<?>> writes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            writes.add(clusters.get(i % 3)
                    .put(Key.of("key-" + i), "value".getBytes(UTF_8), ALL)
                    .toCompletableFuture());
        }

        writes.forEach(CompletableFuture::join);

        assertThat(join(clusters.get(0).get(Key.of("key-499"), ALL)).map(Value::text))
                .contains("value");
    }

    @Test
    void whatItDoesNotServeItRefuses() {
        assertThatThrownBy(() -> join(clusters.get(0).getAll(List.of(Key.of("key")))))
                .hasMessageContaining("single keys only");
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
