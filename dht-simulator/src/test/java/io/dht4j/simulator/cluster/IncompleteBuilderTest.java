package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.core.internal.handoff.MemoryHintLog;
import io.dht4j.core.options.Membership;
import io.dht4j.spi.Discovery;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Store;
import io.dht4j.spi.TopologyLogFactory;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * A builder that lacks a part names the call that supplies it, and closes the other parts. A builder that was used, or
 * shares its parts with a running node, leaves that node alone.
 */
class IncompleteBuilderTest {

    private static final Node NODE = Node.of("n1", "host1:1");
    private static final Topology TOPOLOGY = Topology.of(NODE);
    private static final Key KEY = Key.of("key");
    private static final TopologyLogFactory LOG = (self, initial, environment) -> {
        throw new AssertionError("nothing is started");
    };
    private static final Duration BOUND = Duration.ofMinutes(1);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final HintLog hints = new MemoryHintLog(1 << 20);
    private final List<String> closed = new ArrayList<>();

    private Transport transport() {
        return new ForwardingTransport(network.transport(NODE.address())) {
            @Override
            public void close() {
                closed.add("transport");
                super.close();
            }
        };
    }

    private Store store() {
        return new ForwardingStore(new ModelStore()) {
            @Override
            public void close() {
                closed.add("store");
                super.close();
            }
        };
    }

    private ClusterBuilder node() {
        return ClusterBuilder.of("n1", TOPOLOGY).environment(env);
    }

    @Test
    void builderWithoutStoreRefusesOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterBuilder.withoutStore("web-1", TOPOLOGY).store(new ModelStore()))
                .withMessage("web-1 takes no store: its builder is that of ClusterBuilder.withoutStore;"
                        + " use ClusterBuilder.of");
    }

    private static void assertRefused(ThrowingCallable start, String message) {
        assertThatThrownBy(start).isInstanceOf(IllegalStateException.class).hasMessage(message);
    }

    private static void assertUsed(ThrowingCallable start) {
        assertThatThrownBy(start)
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("this builder was used")
                .hasNoCause();
    }

    private void assertHintsAreClosed() {
        assertThatThrownBy(hints::targets).hasMessageContaining("closed");
    }

    private void assertServes(Cluster cluster) {
        assertThat(closed).isEmpty();
        assertThat(hints.targets()).isEmpty();
        env.await(cluster.put(KEY, new byte[] {1}), BOUND);
        assertThat(env.await(cluster.get(KEY), BOUND)).isPresent();
    }

    @Test
    void missingStoreIsNamed() {
        ClusterBuilder builder = node().transport(transport()).hints(hints);
        assertRefused(builder::start, "a node needs a store: call store(...) before start()");
        assertThat(closed).containsExactly("transport");
        assertHintsAreClosed();
        assertUsed(builder.store(store())::start);
    }

    @Test
    void missingTransportIsNamed() {
        ClusterBuilder builder = node().store(store()).hints(hints);
        assertRefused(builder::start, "a node needs a transport: call transport(...) before start()");
        assertThat(closed).containsExactly("store");
        assertHintsAreClosed();
    }

    @Test
    void secondStartLeavesTheNodeRunning() {
        ClusterBuilder builder = node().transport(transport()).store(store()).hints(hints);
        try (Cluster cluster = builder.start()) {
            assertUsed(builder::start);
            assertServes(cluster);
        }
        assertThat(closed).contains("transport", "store");
        assertHintsAreClosed();
        assertUsed(builder::start);
    }

    @Test
    void secondStartOfMemberLeavesItRunning() {
        ClusterBuilder builder = ClusterBuilder.withoutStore("m1", TOPOLOGY).environment(env);
        try (Cluster node = node().transport(transport()).store(store()).start();
                Cluster member = builder.transport(network.transport("host2:1")).start()) {
            assertUsed(builder::start);
            assertServes(member);
            assertServes(node);
        }
    }

    @Test
    void startAfterFailedStartSaysThatPartsAreClosed() {
        Transport other = network.transport(NODE.address());
        other.start((request, context) -> CompletableFuture.completedFuture(request));
        ClusterBuilder builder = node().transport(transport()).store(store()).hints(hints);
        assertThatThrownBy(builder::start).hasMessageContaining("another transport listens there");
        assertThat(closed).contains("transport", "store");
        assertHintsAreClosed();
        assertUsed(builder::start);
        assertThatThrownBy(builder::start).hasMessageContaining("closed");
    }

    @Test
    void nodeWithPartsOfAnotherLeavesThatRunning() {
        Transport transport = transport();
        Store store = store();
        try (Cluster cluster =
                node().transport(transport).store(store).hints(hints).start()) {
            ClusterBuilder same = node().transport(transport).store(store()).hints(hints);
            assertThatThrownBy(same::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is started already");
            assertServes(cluster);
            ClusterBuilder sameStore =
                    node().transport(network.transport("host3:1")).store(store).hints(hints);
            assertThatThrownBy(sameStore::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is in use by node " + NODE.id() + " already");
            assertServes(cluster);
        }
    }

    private ClusterBuilder founder() {
        return ClusterBuilder.of(Membership.bootstrap(
                        NODE.id(),
                        List.of(NODE),
                        (self, initial, any) -> new ModelTopologyLog(new ModelTopologyGroup(initial, 20), self, env)))
                .environment(env);
    }

    @Test
    void secondBeginLeavesTheNodeRunning() {
        Transport transport = transport();
        Store store = store();
        ClusterBuilder builder = founder().transport(transport).store(store).hints(hints);
        try (NodeStart start = builder.begin()) {
            assertUsed(builder::begin);
            assertUsed(builder::start);
            Cluster cluster = env.await(start.cluster(), BOUND);
            assertUsed(builder::begin);
            NodeStart same = founder().transport(transport).store(store()).begin();
            assertThatThrownBy(() -> env.await(same.cluster(), BOUND)).hasMessageContaining("is started already");
            same.close();
            assertThatThrownBy(() -> founder()
                            .transport(network.transport(NODE.address()))
                            .store(store)
                            .begin())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is in use by node " + NODE.id() + " already");
            assertServes(cluster);
        }
        assertThat(closed).contains("transport", "store");
    }

    @Test
    void staticNodeRefusesBeginAndMayStillStart() {
        ClusterBuilder builder = node().transport(transport()).store(store());
        assertRefused(builder::begin, "only a node of an agreed cluster waits for others: use start()");
        try (Cluster cluster = builder.start()) {
            assertServes(cluster);
        }
    }

    @Test
    @SuppressWarnings("NullAway")
    void missingArgumentsAreNamed() {
        assertMissing("member", () -> node().trusting((NodeId) null));
        assertMissing("members", () -> node().trusting((NodeId[]) null));
        assertMissing("membership", () -> ClusterBuilder.of((Membership) null));
        assertMissing("marker", () -> node().refill(null));
        assertMissing("without", () -> node().refill(RefillMarker.none(), (NodeId[]) null));
        assertMissing("without", () -> node().refill(RefillMarker.none(), (NodeId) null));
        assertMissing("self", () -> Membership.bootstrap(null, List.of(NODE), LOG));
        assertMissing("founders", () -> Membership.bootstrap(NODE.id(), null, LOG));
        assertMissing("seeds", () -> Membership.join(NODE, (List<Node>) null, LOG));
        assertMissing("seeds", () -> Membership.join(NODE, (Discovery) null, LOG));
        Membership joins = Membership.join(NODE, List.of(Node.of("n2", "host2:1")), LOG);
        assertMissing("startTimeout", () -> joins.withStartTimeout(null));
        assertMissing("token", () -> joins.withJoinToken(null));
    }

    private static void assertMissing(String parameter, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessage(parameter);
    }

    @Test
    void joiningNeedsSeeds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Membership.join(NODE, List.of(), LOG))
                .withMessage("node n1 joins a cluster by its seeds, and there are none: name one node of the cluster or"
                        + " more");
    }

    @Test
    void portThatIsPassedAsTheWeightIsNamed() {
        Topology topology = Topology.of(NODE, new Node(new NodeId("n2"), "host2:80", 80));
        String message = "node n2: the weight 80 is the port of its address host2:80, probably by mistake; without a"
                + " weight it is 1";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterBuilder.of("n1", topology))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterBuilder.withoutStore("m1", topology))
                .withMessage(message);
        Membership joins = Membership.join(topology.nodes().get(1), List.of(NODE), LOG);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterBuilder.of(joins))
                .withMessage(message);
    }
}
