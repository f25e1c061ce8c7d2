package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.options.Membership;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Nodes form a cluster, or convert a static one, whatever happens meanwhile. */
class FormationTest {

    private static final List<Node> THREE = list(0, 1, 2);

    @Test
    void threeNodesFormAClusterAndServe() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.put(0, "key", "value");
            assertThat(nodes.get(1, "key")).isEqualTo("value");
            assertThat(nodes.get(2, "key")).isEqualTo("value");

            ClusterState state = nodes.state(0);
            assertThat(state.epoch()).isEqualTo(Epoch.FIRST);
            assertThat(state.members().voters()).containsExactly(1, 2, 3);
            assertThat(state.members().all())
                    .extracting(Member::lifecycle)
                    .containsExactly(Lifecycle.SERVING, Lifecycle.SERVING, Lifecycle.SERVING);
            assertThat(nodes.state(1)).isEqualTo(state);
            assertThat(nodes.state(2)).isEqualTo(state);
        }
    }

    @Test
    void oneNodeFormsAClusterAlone() {
        try (FormedCluster nodes = new FormedCluster(1).form(1)) {
            nodes.put(0, "key", "value");
            assertThat(nodes.get(0, "key")).isEqualTo("value");
        }
    }

    @Test
    void fiveNodesHaveThreeVotersAndTheOthersFetchTheState() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            assertThat(nodes.state(4).members().voters()).containsExactly(1, 2, 3);
            nodes.put(4, "key", "value");
            assertThat(nodes.get(3, "key")).isEqualTo("value");
        }
    }

    @Test
    void whatAStartWaitsForIsASentenceAboutTheNode() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.join(3, list(0));
            nodes.nodes.get(3).link.towardAll(Fault.loseRequest());
            assertThat(nodes.waiting(3)).startsWith("node n3 ");
            nodes.env.advance(Duration.ofMillis(100));
            assertThat(nodes.waiting(3)).isEqualTo("node n3 has just been started");
        }
    }

    @Test
    void formationNamesTheFoundersItWaitsFor() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.bootstrap(0, THREE);
            nodes.bootstrap(1, THREE);
            nodes.env.advance(Duration.ofMinutes(1));
            assertThat(nodes.waiting(0)).contains("waits for n2 (", "n0=host0:1,n1=host1:1,n2=host2:1");
            assertThat(nodes.waiting(1)).contains("waits for n2 (");
            assertThat(nodes.disk(0).note("cluster-founders")).isEmpty();

            nodes.bootstrap(2, THREE);
            assertThat(nodes.cluster(0).topology().size()).isEqualTo(3);
            nodes.cluster(1);
            nodes.cluster(2);
            assertThat(nodes.waiting(0)).isEmpty();
        }
    }

    @Test
    void aNodeThatStillRunsStaticIsNamed() {
        try (FormedCluster nodes = new FormedCluster(1);
                Cluster before = nodes.startStatic(1, new Topology(1, list(0, 1)))) {
            nodes.bootstrap(0, list(0, 1));
            nodes.env.advance(Duration.ofSeconds(2));
            assertThat(nodes.waiting(0)).contains("waits for n1 (node n1 is started as one of a static cluster");
            assertThat(before.topology().size()).isEqualTo(2);
        }
    }

    @Test
    void startTimeoutNamesTheMissingNodes() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.bootstrap(0, THREE);
            nodes.env.advance(Duration.ofMinutes(5));
            assertThat(nodes.failure(0)).contains("node n0 has waited for 300 s", "n1 (", "n2 (");
        }
    }

    /** Each node in turn is killed at each moment of the formation, and started again. */
    @Test
    void aKilledNodeRepeatsTheFormationWhereverItWas() {
        for (int killed = 0; killed < 3; killed++) {
            for (int step = 0; step < 24; step++) {
                formWithKill(killed, Duration.ofMillis(100 * step));
            }
        }
    }

    private static void formWithKill(int killed, Duration after) {
        try (FormedCluster nodes = new FormedCluster(1)) {
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, THREE);
            }
            nodes.env.advance(after);
            nodes.crash(killed);
            nodes.env.advance(Duration.ofMillis(700));
            nodes.bootstrap(killed, THREE);
            assertOneCluster(nodes);
        }
    }

    /** Each node in turn is killed right before and right after each of its notes. */
    @Test
    void aNodeThatIsKilledAroundANoteRepeatsTheFormation() {
        for (int killed = 0; killed < 3; killed++) {
            for (int note = 1; note <= 10; note++) {
                formWithKillAtNote(killed, note);
            }
        }
    }

    private static void formWithKillAtNote(int killed, int note) {
        try (FormedCluster nodes = new FormedCluster(1)) {
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, THREE);
            }
            int[] seen = {0};
            nodes.disk(killed).aroundNotes = name -> {
                if (++seen[0] == note) {
                    nodes.crash(killed);
                    throw new IllegalStateException("killed at " + name);
                }
            };
            nodes.env.advance(Duration.ofSeconds(10));
            assertThat(nodes.nodes.containsKey(killed))
                    .as("killed at note %s", note)
                    .isFalse();
            nodes.bootstrap(killed, THREE);
            assertOneCluster(nodes);
        }
    }

    /** It would vote a second time in a term, and miss what it has confirmed. */
    @Test
    void aVoterThatHasLostItsLogDoesNotStart() {
        try (FormedCluster nodes = new FormedCluster(1).form(4)) {
            nodes.stop(1);
            nodes.loseLog(1);
            nodes.bootstrap(1, list(0, 1, 2, 3));
            assertThat(nodes.failure(1))
                    .contains("the topology log of node n1 is empty")
                    .contains("restore the directory of the log")
                    .contains("with an empty data directory and call membership().replace(new NodeId(\"n1\"))");
            // Not a voter: it has no log.
            nodes.stop(3);
            nodes.loseLog(0);
            nodes.bootstrap(3, list(0, 1, 2, 3));
            nodes.put(3, "key", "value");
        }
    }

    @Test
    void aFounderWithoutAStateDoesNotStartToJoin() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, THREE);
            }
            nodes.env.runUntil(() -> nodes.disk(1).note("cluster-founders").isPresent(), BOUND);
            nodes.crash(1);
            nodes.crash(2);
            nodes.join(1, list(0, 2));
            assertThat(nodes.failure(1))
                    .contains("n1 has begun to form the cluster")
                    .contains("start it with Membership.bootstrap of n0=host0:1,n1=host1:1,n2=host2:1");
            nodes.bootstrap(1, THREE);
            assertThat(nodes.state(1)).isEqualTo(nodes.state(0));
        }
    }

    @Test
    void aStartThatIsClosedAtOnceLeavesNothingBehind() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.bootstrap(0, THREE);
            VirtualEnvironment closed = nodes.nodes.get(0).env;
            nodes.stop(0);
            nodes.env.advance(Duration.ofSeconds(1));
            assertThat(closed.pendingTasks()).isZero();
        }
    }

    private static void assertOneCluster(FormedCluster nodes) {
        Set<Object> clusters = nodes.nodes.keySet().stream()
                .map(i -> (Object) nodes.state(i).cluster())
                .collect(Collectors.toSet());
        assertThat(clusters).hasSize(1);
        nodes.put(1, "key", "value");
        assertThat(nodes.get(0, "key")).isEqualTo("value");
        assertThat(nodes.get(2, "key")).isEqualTo("value");
    }

    @Test
    void aFirstNodeWithAnotherDiskDoesNotFormASecondCluster() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, THREE);
            }
            nodes.env.runUntil(() -> nodes.disk(1).note("cluster-founders").isPresent(), BOUND);
            nodes.crash(0);
            nodes.crash(2);
            nodes.replaceDisk(0);
            nodes.bootstrap(0, THREE);
            assertThat(nodes.failure(0))
                    .contains("n1 forms the cluster", "n0 has another data directory", "replace(new NodeId(\"n0\"))");
        }
    }

    @Test
    void unstoredFounderListIsSentToNoNode() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, THREE);
            }
            failNotes(nodes.disk(0), "cluster-founders");
            nodes.env.advance(Duration.ofSeconds(10));
            assertThat(nodes.disk(1).note("cluster-founders")).isEmpty();
            assertThat(nodes.disk(2).note("cluster-founders")).isEmpty();
            assertThat(nodes.failure(0)).contains("n0 cannot take part in the cluster", "disk full");

            nodes.bootstrap(0, THREE);
            assertOneCluster(nodes);
        }
    }

    @Test
    void aFirstStateThatCannotBeStoredIsNotServed() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, THREE);
            }
            failNotes(nodes.disk(0), "cluster-state");
            nodes.cluster(1);
            nodes.env.advance(Duration.ofSeconds(10));
            assertThat(nodes.waiting(0)).contains("waits for the agreed state", "disk full");
            nodes.disk(0).aroundNotes = name -> {};
            assertOneCluster(nodes);
        }
    }

    private static void failNotes(KeptStore disk, String failing) {
        disk.aroundNotes = name -> {
            if (name.equals(failing)) {
                throw new StoreException("disk full");
            }
        };
    }

    @Test
    void nodesWithDifferentListsFormNothing() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.bootstrap(0, list(0, 1));
            nodes.bootstrap(1, list(1, 0));
            nodes.awaitStarts();
            String message = nodes.failure(0);
            assertThat(message)
                    .contains("n0 bootstraps the nodes n0=host0:1,n1=host1:1")
                    .contains("n1 the nodes n1=host1:1,n0=host0:1")
                    .contains("the same list in the same order");
            assertThat(nodes.failure(1)).contains("the same list in the same order");
            assertThat(nodes.disk(0).note("cluster-founders")).isEmpty();
            assertThat(nodes.disk(1).note("cluster-founders")).isEmpty();
        }
    }

    @Test
    void nodesWithDifferentSettingsFormNothing() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.bootstrap(0, list(0, 1));
            nodes.bootstrap(1, list(0, 1), builder -> builder.partitions(32));
            assertThat(nodes.failure(0)).contains("partitions: 16 at n0, 32 at n1");
        }
    }

    @Test
    void aNodeOfAnotherClusterEndsTheFormation() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.bootstrap(1, list(1));
            Object other = nodes.state(1).cluster();
            nodes.stop(1);
            nodes.bootstrap(1, list(0, 1));
            nodes.cluster(1);
            nodes.bootstrap(0, list(0, 1));
            assertThat(nodes.failure(0))
                    .contains("n1 belongs to the cluster " + other + ", which has no node n0")
                    .contains("membership().add(new NodeId(\"n0\"))", "Membership.join");
        }
    }

    @Test
    void founderWithAnEmptyDiskIsRefused() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(0);
            nodes.replaceDisk(0);
            nodes.bootstrap(0, THREE);
            assertThat(nodes.failure(0))
                    .contains("in which n0 has another data directory", "membership().replace(new NodeId(\"n0\"))");
        }
    }

    @Test
    void deadFounderIsReferredToJoin() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(0);
            nodes.replaceDisk(0);
            nodes.env.advance(Duration.ofSeconds(40));
            nodes.env.await(nodes.change(1, state -> new Command.MarkDead(state.epoch(), 1, false)), BOUND);
            nodes.bootstrap(0, THREE);
            assertThat(nodes.failure(0))
                    .contains(
                            "a node is to take the place of n0: start it with Membership.join of n",
                            " in place of Membership.bootstrap");
        }
    }

    private static List<Cluster> startFourStatic(FormedCluster nodes) {
        Topology topology = new Topology(1, list(0, 1, 2, 3));
        List<Cluster> started = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            started.add(nodes.startStatic(i, topology));
        }
        return started;
    }

    @Test
    void aStaticClusterIsConvertedOnItsDataAndNothingMoves() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            List<Cluster> before = startFourStatic(nodes);
            for (int key = 0; key < 200; key++) {
                nodes.env.await(before.get(key % 4).put(Key.of("key" + key), new byte[] {(byte) key}), BOUND);
            }
            nodes.env.advance(Duration.ofSeconds(5));
            List<List<Node>> places = new ArrayList<>();
            for (int key = 0; key < 200; key++) {
                places.add(nodes.env
                        .await(before.get(0).locate(Key.of("key" + key)), BOUND)
                        .replicas()
                        .subList(0, 3));
            }
            before.forEach(Cluster::close);
            List<Long> entries = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                entries.add(nodes.disk(i).entries());
            }

            nodes.form(4);
            for (int key = 0; key < 200; key++) {
                Key each = Key.of("key" + key);
                assertThat(nodes.env.await(nodes.cluster(key % 4).get(each), BOUND))
                        .get()
                        .satisfies(value -> assertThat(value.bytes()).hasSize(1));
                assertThat(nodes.env.await(nodes.cluster(1).locate(each), BOUND).replicas())
                        .isEqualTo(places.get(key));
            }
            for (int i = 0; i < 4; i++) {
                assertThat(nodes.disk(i).entries()).isEqualTo(entries.get(i));
            }
            nodes.put(3, "key7", "again");
            assertThat(nodes.get(0, "key7")).isEqualTo("again");
        }
    }

    @Test
    void conversionKeepsWhatOnlyANodeBeyondTheReplicationFactorHas() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            List<Cluster> before = startFourStatic(nodes);
            Key key = Key.of("key");
            List<Node> replicas =
                    nodes.env.await(before.get(0).locate(key), BOUND).replicas();
            int last = list(0, 1, 2, 3).indexOf(replicas.get(3));
            for (int i = 0; i < 4; i++) {
                if (i != last) {
                    before.get(i).close();
                }
            }
            CallOptions anyOfAll = CallOptions.defaults().withPolicy(1, 4);
            nodes.env.await(before.get(last).put(key, new byte[] {7}, anyOfAll), BOUND);
            before.get(last).close();

            nodes.form(4);
            nodes.env.advance(Duration.ofMinutes(1));
            assertThat(nodes.env.await(nodes.cluster(last).get(key), BOUND))
                    .hasValueSatisfying(value -> assertThat(value.bytes()).containsExactly(7));
            assertThat(nodes.disk(last).entries()).isZero();
        }
    }

    @Test
    void dataOfAnotherStaticClusterIsNotConverted() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.startStatic(0, new Topology(1, list(0, 2))).close();
            nodes.bootstrap(0, list(0, 1));
            assertThat(nodes.failure(0)).contains("is bound to", "(n0, n2)", "(n0, n1)");
        }
    }

    @Test
    void aNodeOfAnAgreedClusterDoesNotStartStatic() {
        try (FormedCluster nodes = new FormedCluster(1).form(1)) {
            Object cluster = nodes.state(0).cluster();
            nodes.stop(0);
            assertThatThrownBy(() -> nodes.startStatic(0, Topology.of(node(0))))
                    .hasMessageContaining("n0 belongs to the agreed cluster " + cluster)
                    .hasMessageContaining("start it with Membership.bootstrap of n0=host0:1");
        }
    }

    @Test
    void memberRefusesAStaticStartAndNamesSeeds() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(0);
            assertThatThrownBy(() -> nodes.startStatic(0, Topology.of(node(0))))
                    .hasMessageContaining("start it with Membership.join of n1=host1:1,n2=host2:1");
        }
    }

    @Test
    void moreReplicasThanFoundersAreRefused() {
        assertThatThrownBy(() -> new FormedCluster(1).bootstrap(0, list(0), builder -> builder.replicationFactor(2)))
                .hasMessageContaining("replicationFactor");
    }

    @Test
    void aStartThatWaitsIsRefusedInVirtualTime() {
        try (VirtualEnvironment world = VirtualEnvironment.seeded(1)) {
            ClusterBuilder builder = ClusterBuilder.of(Membership.bootstrap(
                            new NodeId("n0"), List.of(Node.of("n0", "h0:1")), (ref, founders, any) -> new SilentLog()))
                    .environment(world.newNode());
            assertThatThrownBy(builder::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("call begin()");
        }
    }
}
