package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Members that store nothing. */
class MembersTest {

    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final Key KEY = Key.of("key");

    private static Cluster member(SimulatedCluster cluster, String name) {
        return ClusterBuilder.withoutStore(name, cluster.topology)
                .transport(cluster.network.transport(name + "-host:1"))
                .environment(cluster.env.newNode())
                .timeout(Duration.ofSeconds(1))
                .drainTimeout(Duration.ZERO)
                .start();
    }

    @Test
    void aMemberReadsAndWritesLikeANode() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start();
                Cluster member = member(cluster, "app")) {
            Version version = cluster.await(member.put(KEY, new byte[] {1}, ALL_OF_THREE));
            Value value = cluster.await(cluster.node(0).get(KEY)).orElseThrow();
            assertThat(value.version()).isEqualTo(version);
            assertThat(cluster.await(member.get(KEY, ALL_OF_THREE))).contains(value);
            cluster.await(member.putAll(Map.of(KEY, new byte[] {2}, Key.of("other"), new byte[0]), ALL_OF_THREE));
            assertThat(cluster.await(member.getAll(List.of(KEY, Key.of("other"), Key.of("none")))))
                    .hasSize(2);
            assertThat(cluster.drain(member.scan(KeyRange.all()))).hasSize(2);
            cluster.await(member.delete(KEY, ALL_OF_THREE));
            assertThat(cluster.await(cluster.node(1).get(KEY))).isEmpty();
            assertThat(cluster.await(member.locate(KEY)))
                    .isEqualTo(cluster.await(cluster.node(2).locate(KEY)));
            assertThat(member.topology()).isEqualTo(cluster.topology);
            assertThat(member.defaultPolicy()).isEqualTo(cluster.node(0).defaultPolicy());
        }
    }

    @Test
    void memberWithATakenVersionSlotCannotWrite() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            VersionSlots slots = new VersionSlots(cluster.topology);
            String other = IntStream.range(0, 10_000)
                    .mapToObj(i -> "app" + i)
                    .filter(name -> slots.of(new NodeId(name)) == slots.of(new NodeId("app")))
                    .findFirst()
                    .orElseThrow();
            try (Cluster first = member(cluster, "app")) {
                cluster.await(first.put(KEY, new byte[] {1}, ALL_OF_THREE));
                try (Cluster second = member(cluster, other)) {
                    DhtException failure = cluster.failureOf(second.put(
                            KEY, new byte[] {2}, CallOptions.defaults().withPolicy(1, 3)));
                    assertThat(failure).isInstanceOf(UnavailableException.class);
                    assertThat(failure)
                            .hasMessageContaining("rename one of them")
                            .hasMessageContaining(other);
                    assertThat(cluster.await(cluster.node(0).get(KEY, ALL_OF_THREE))
                                    .orElseThrow()
                                    .bytes())
                            .containsExactly(1);
                    assertThat(cluster.await(second.get(KEY, ALL_OF_THREE))).isPresent();
                    cluster.await(first.put(KEY, new byte[] {3}, ALL_OF_THREE));
                }
            }
            cluster.env.advance(Duration.ofSeconds(61));
            try (Cluster second = member(cluster, other)) {
                cluster.await(second.put(KEY, new byte[] {4}, ALL_OF_THREE));
            }
        }
    }

    @Test
    void aMemberHasNoEntriesOfItsOwn() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start();
                Cluster member = member(cluster, "app")) {
            NodeStatus status = cluster.await(member.operations().status());
            assertThat(status.id()).isEqualTo(new NodeId("app"));
            assertThat(status.store()).isEqualTo("none");
            assertThat(status.entries()).isZero();
            DhtException failure = cluster.failureOf(member.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                    .next());
            assertThat(failure.code()).isEqualTo(ErrorCode.SCAN_INVALID);
            assertThat(failure).hasMessageContaining("stores nothing");
        }
    }

    @Test
    void aMemberIsNoReplicaAndRefusesThoseWhoTakeItForOne() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start();
                Cluster member = member(cluster, "app")) {
            Transport stranger = cluster.network.transport("stranger:1");
            AtomicReference<byte[]> frame = new AtomicReference<>();
            cluster.await(stranger.start((request, context) -> {
                frame.set(request);
                return CompletableFuture.completedFuture(request);
            }));
            // A genuine frame of a node that places keys alike.
            Topology topology = cluster.topology;
            Cluster sender = ClusterBuilder.of(
                            "n0",
                            Topology.of(
                                    topology.nodes().get(0),
                                    Node.of("n1", "stranger:1"),
                                    topology.nodes().get(2)))
                    .transport(cluster.network.transport("sender"))
                    .store(new ModelStore())
                    .environment(cluster.env.newNode())
                    .start();
            cluster.env.advance(Duration.ZERO);
            byte[] toMember = FrameBytes.to("app", frame.get());
            byte[] reply = cluster.await(stranger.call(
                    Node.of("app", "app-host:1"),
                    Frame.of(toMember),
                    new CallContext(cluster.env::nanoTime, 1_000_000_000)));
            assertThat(FrameBytes.errorOf(reply)).isEqualTo(ErrorCode.NOT_SERVING);
            assertThat(cluster.await(member.locate(KEY)).replicas()).doesNotContain(Node.of("app", "app-host:1"));
            sender.close();
            stranger.close();
        }
    }

    @Test
    void aMembersVersionsAreNoNodes() {
        for (int size : new int[] {1, 2, 3, 16, 40}) {
            try (SimulatedCluster cluster = SimulatedCluster.of(1, size).start()) {
                // Time stands still, so that only the slots keep the versions apart.
                Set<Version> ofNodes = new HashSet<>();
                Set<Version> ofMembers = new HashSet<>();
                CallOptions one = CallOptions.defaults().withPolicy(1, 1);
                for (int i = 0; i < size; i++) {
                    ofNodes.add(cluster.await(cluster.node(i).put(KEY, new byte[1], one)));
                }
                assertThat(ofNodes).hasSize(size);
                for (String name : List.of("app", "app2", "batch", "web-1", "web-2")) {
                    try (Cluster member = member(cluster, name)) {
                        for (int i = 0; i < 10; i++) {
                            ofMembers.add(cluster.await(member.put(KEY, new byte[1], one)));
                        }
                    }
                }
                assertThat(ofMembers).doesNotContainAnyElementsOf(ofNodes);
            }
        }
    }

    @Test
    void aMemberIsNoNodeAndTakesNoStore() {
        Topology topology = Topology.of(Node.of("n0", "h0:1"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterBuilder.withoutStore("n0", topology))
                .withMessageContaining("n0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterBuilder.withoutStore("app", topology).store(new ModelStore()))
                .withMessageContaining("app");
        assertThatIllegalStateException()
                .isThrownBy(() -> ClusterBuilder.withoutStore("app", topology).start())
                .withMessageContaining("transport");
        assertThatIllegalStateException()
                .isThrownBy(() -> ClusterBuilder.of("n0", topology).start())
                .withMessageContaining("transport");
    }

    @Test
    void framesAreTakenFromTheNodesAndFromThoseWhoAreTrusted() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            AtomicReference<FrameHandler> handler = new AtomicReference<>();
            try (Cluster node = ClusterBuilder.of("n0", cluster.topology)
                    .transport(recording(handler))
                    .store(new ModelStore())
                    .environment(cluster.env.newNode())
                    .trusting(new NodeId("app"), new NodeId("web"))
                    .trusting(new NodeId("third"))
                    .start()) {
                assertThat(List.of("n0", "n1", "n2", "app", "web", "third")).allMatch(handler.get()::mayCall);
                assertThat(List.of("n3", "N1", "", "n1 ", "*", "localhost")).noneMatch(handler.get()::mayCall);
                assertThat(node.topology()).isEqualTo(cluster.topology);
            }
        }
    }

    private static Transport recording(AtomicReference<FrameHandler> handler) {
        return new Transport() {
            @Override
            public CompletionStage<Void> start(FrameHandler frameHandler) {
                handler.set(frameHandler);
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
                return new CompletableFuture<>();
            }

            @Override
            public String name() {
                return "recording";
            }

            @Override
            public void close() {
                // nothing is held
            }
        };
    }
}
