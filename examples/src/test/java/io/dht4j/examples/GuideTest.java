package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs the calls that the guide shows on nodes in virtual time. */
class GuideTest {

    private final VirtualEnvironment world = VirtualEnvironment.seeded(7);
    private final LoopbackNetwork network = LoopbackNetwork.on(world);
    private final Topology topology =
            Topology.of(Node.of("n1", "host1:1"), Node.of("n2", "host2:1"), Node.of("n3", "host3:1"));
    private final List<FaultyTransport> links = new ArrayList<>();
    private final List<Cluster> nodes = new ArrayList<>();

    private void startNodes() {
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

    private <T> T await(CompletionStage<T> stage) {
        return world.await(stage, Duration.ofMinutes(1));
    }

    @AfterEach
    void stopNodes() {
        nodes.forEach(Cluster::close);
    }

    @Test
    void aNodeIsReadyWhenReadsSucceed() {
        startNodes();
        Cluster cluster = nodes.get(0);
        await(cluster.ready());
        assertThat(await(cluster.get(Key.of("absent")))).isEmpty();
    }

    @Test
    void callsTakeOptions() {
        startNodes();
        List<String> shown = new ArrayList<>();
        await(RemoteCaller.addUser(nodes.get(0), shown::add));
        assertThat(shown).containsExactly("user:7=Ada");
    }

    @Test
    void theTypeOfAnExceptionSaysWhatToDo() {
        startNodes();
        Cluster cluster = nodes.get(0);
        Key key = Key.of("greeting");
        CallOptions tooMany = CallOptions.defaults().withPolicy(4, 4);
        assertThat(adviceFor(cluster.get(key, tooMany))).isEqualTo("fix the request: POLICY_INVALID");

        links.get(0).towardAll(Fault.loseRequest());
        assertThat(adviceFor(cluster.get(key))).startsWith("nothing has changed: repeat");
        assertThat(adviceFor(cluster.put(key, new byte[1]))).startsWith("the write may have happened");
    }

    private String adviceFor(CompletionStage<?> call) {
        return await(call.handle((result, error) -> error == null ? "done" : RemoteCaller.advice(error)));
    }
}
