package io.dht4j.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.OverloadedException;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.simulator.SimulationOptions;
import io.dht4j.simulator.SimulationReport;
import io.dht4j.simulator.Simulator;
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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs the Java of the guide. {@link ReadmeTest} compares it with the pages. */
class GuideTest {

    // tag::network[]
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
    // end::network[]

    @AfterEach
    void stopNodes() {
        nodes.forEach(Cluster::close);
    }

    // tag::faults[]
    @Test
    void aReadDoesNotNeedASilentReplica() {
        startNodes();
        Key key = Key.of("greeting");
        await(nodes.get(0).put(key, "hello".getBytes(UTF_8)));

        links.get(0).toward(new NodeId("n2"), Fault.loseRequest());
        Optional<Value> greeting = await(nodes.get(0).get(key));
        links.get(0).heal();
        world.advance(Duration.ofHours(1));

        assertThat(greeting.map(Value::text)).contains("hello");
    }
    // end::faults[]

    @Test
    void aSimulationBreaksNoGuarantee() {
        // tag::simulate[]
        SimulationReport report = Simulator.run(7, SimulationOptions.defaults());
        assertThat(report.violations()).as("%s", report).isEmpty();
        // end::simulate[]
    }

    @Test
    void aNodeIsReadyWhenReadsSucceed() throws Exception {
        startNodes();
        Cluster cluster = nodes.get(0);
        // Time is virtual here: nothing else would let it pass.
        await(cluster.ready());
        // tag::ready[]
        cluster.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
        // end::ready[]
        assertThat(await(cluster.get(Key.of("absent")))).isEmpty();
    }

    @Test
    void callsTakeOptions() {
        startNodes();
        Cluster cluster = nodes.get(0);
        List<String> shown = new ArrayList<>();
        byte[] bytes = "hello".getBytes(UTF_8);
        // tag::calls[]
        CallOptions options =
                CallOptions.defaults().withTimeout(Duration.ofSeconds(1)).withTimeToLive(Duration.ofMinutes(30));
        CompletionStage<Void> done = cluster.put(Key.of("user:7"), bytes, options)
                .thenCompose(version -> cluster.scan(KeyRange.between(Key.of("user:"), Key.of("user;")))
                        .forEach(entry ->
                                shown.add(entry.key() + "=" + entry.value().text())));
        // end::calls[]
        await(done);
        assertThat(shown).containsExactly("user:7=hello");
    }

    // tag::exceptions[]
    /** Returns what to do about a write that ended with an error. */
    static String advice(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        if (cause instanceof InvalidRequestException invalid) {
            return "fix the request: " + invalid.code();
        }
        if (cause instanceof UnavailableException) {
            return "nothing has changed: repeat here or on another node";
        }
        if (cause instanceof IndeterminateException) {
            return "the write may have happened: repeat the same write";
        }
        if (cause instanceof OverloadedException) {
            return "nothing has changed: wait, then repeat";
        }
        return "not an error of the cluster";
    }
    // end::exceptions[]

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
        return await(call.handle((result, error) -> error == null ? "done" : advice(error)));
    }
}
