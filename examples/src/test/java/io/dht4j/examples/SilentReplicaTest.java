package io.dht4j.examples;

// tag::network[]
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SilentReplicaTest {

    private final VirtualEnvironment world = VirtualEnvironment.seeded(7);
    private final LoopbackNetwork network = LoopbackNetwork.on(world);
    private final Topology topology =
            Topology.of(Node.of("n1", "host1:1"), Node.of("n2", "host2:1"), Node.of("n3", "host3:1"));
    private final List<FaultyTransport> links = new ArrayList<>();
    private final List<Cluster> nodes = new ArrayList<>();

    @BeforeEach
    void startNodes() {
        for (Node node : topology.nodes()) {
            VirtualEnvironment environment = world.newNode();
            FaultyTransport link = new FaultyTransport(network.transport(node.address()), environment);
            links.add(link);
            nodes.add(ClusterBuilder.of(node.id(), topology)
                    .transport(link)
                    .store(new ModelStore())
                    .environment(environment)
                    .drainTimeout(Duration.ZERO)
                    .start());
        }
    }

    @AfterEach
    void stopNodes() {
        nodes.forEach(Cluster::close);
    }

    private <T> T await(CompletionStage<T> stage) {
        return world.await(stage, Duration.ofMinutes(1));
    }

    @Test
    void aReadDoesNotNeedASilentReplica() {
        Key key = Key.of("greeting");
        await(nodes.get(0).put(key, "hello".getBytes(UTF_8)));

        links.get(0).toward(new NodeId("n2"), Fault.loseRequest());
        Optional<Value> greeting = await(nodes.get(0).get(key));
        links.get(0).heal();
        world.advance(Duration.ofHours(1));

        assertThat(greeting.map(Value::text)).contains("hello");
    }
}
// end::network[]
