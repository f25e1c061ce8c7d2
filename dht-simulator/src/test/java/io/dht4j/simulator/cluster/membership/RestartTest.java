package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What members find out when they start again, and of nodes of other clusters at addresses of theirs. */
class RestartTest {

    private static final List<Node> THREE = list(0, 1, 2);

    /** Lets a founder that has lost its disk form a cluster of its own. */
    private static FormedCluster split() {
        FormedCluster nodes = new FormedCluster(1).form(3);
        nodes.crash(0);
        nodes.replaceDisk(0);
        nodes.bootstrap(0, list(0));
        nodes.cluster(0);
        return nodes;
    }

    @Test
    void foreignNodeAtAMemberAddressIsNamed() {
        try (FormedCluster nodes = split()) {
            nodes.env.advance(Duration.ofSeconds(40));
            for (int at = 1; at < 3; at++) {
                MembershipStatus.Member lost = nodes.member(at, 0);
                assertThat(lost.waitsFor()).isEqualTo("the node itself: a node of another cluster answers at host0:1");
                assertThat(lost.silence()).isEmpty();
            }
            // It is silent all the same, so that it can be replaced.
            nodes.stop(0);
            nodes.env.advance(Duration.ofSeconds(10));
            assertThat(nodes.member(1, 0).waitsFor()).isEmpty();
            assertThat(nodes.member(1, 0).silence().orElseThrow()).isGreaterThan(Duration.ofSeconds(40));
        }
    }

    @Test
    void aMemberDoesNotStartByNodesOfAnotherCluster() {
        try (FormedCluster nodes = split()) {
            String own = nodes.state(1).cluster().toString();
            String other = nodes.state(0).cluster().toString();
            nodes.stop(1);
            nodes.join(1, list(0));
            assertThat(nodes.failure(1))
                    .contains("n1 belongs to the cluster " + own, "n0 at host0:1", "to the cluster " + other);
            // One of its own is enough, since an address may be an old one; and so is nobody.
            nodes.join(1, list(0, 2));
            nodes.cluster(1);
            nodes.stop(1);
            nodes.join(1, list(7));
            nodes.cluster(1);
        }
    }

    @Test
    void startWithContradictingSettingsIsRefused() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(2);
            nodes.bootstrap(
                    2,
                    THREE,
                    builder -> builder.partitions(64).maxValueBytes(1000).hash(HashFunctions.sipHash(new byte[16])));
            assertThat(nodes.failure(2))
                    .startsWith("node n2 contradicts the settings of its cluster: ")
                    .contains("partitions is 16 in the cluster, 64 at n2")
                    .contains("largest value is 16777216 bytes in the cluster, 1000 bytes at n2")
                    .contains("hash is xxh3 in the cluster, siphash at n2");
            // A command may have raised it.
            nodes.bootstrap(2, THREE, builder -> builder.replicationFactor(2));
            nodes.cluster(2);
        }
    }

    @Test
    void aDirectoryRefusesANodeOfAnotherName() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(2);
            nodes.takeDisk(5, 2);
            nodes.join(5, THREE);
            assertThat(nodes.failure(5))
                    .isEqualTo("the data directory of node n5 belongs to node n2: start it as n2, or start n5 with a"
                            + " directory of its own");
        }
    }

    @Test
    void aMemberDoesNotStartOnACopyOfItsDirectoryWhileItRuns() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.takeDisk(7, 2);
            nodes.join(7, Node.of("n2", "host7:1"), list(0, 1), builder -> builder);
            assertThat(nodes.failure(7))
                    .isEqualTo("node n2 runs already at host2:1, with a copy of this data directory: stop that process"
                            + " first to move the node here; to add a node, start it with an empty directory and a name"
                            + " of its own");
            // A node that has moved starts.
            nodes.stop(2);
            nodes.join(7, Node.of("n2", "host7:1"), list(0, 1), builder -> builder);
            nodes.cluster(7);
        }
    }

    @Test
    void aMemberThatIsStartedAtAnotherNameOfItsAddressStarts() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(2);
            nodes.join(2, Node.of("n2", "alias2:1"), list(0, 1), builder -> builder);
            nodes.cluster(2);
        }
    }

    @Test
    void nodeDeclaredDeadWhileDownNeverServes() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.env.await(nodes.change(0, state -> new Command.Admit(state.epoch(), node(3).id())), BOUND);
            nodes.join(3, THREE);
            nodes.cluster(3);
            nodes.stop(3);
            nodes.env.advance(Duration.ofSeconds(40));
            nodes.env.await(nodes.change(0, state -> new Command.MarkDead(state.epoch(), 4, false)), BOUND);
            nodes.join(3, THREE);
            assertThat(nodes.failure(3))
                    .contains("n3 (number 4, DEAD) never returns: start n3 with an empty data directory"
                            + " and Membership.join");
        }
    }

    /** As on a busy machine: no answer comes within the time of a usual call. */
    @Test
    void restartedNodeLearnsOfItsDeathFromSlowPeers() {
        try (FormedCluster nodes = new FormedCluster(1).form(4)) {
            nodes.stop(3);
            nodes.env.advance(Duration.ofSeconds(40));
            nodes.env.await(nodes.change(0, state -> new Command.MarkDead(state.epoch(), 4, false)), BOUND);
            nodes.bootstrap(3, list(0, 1, 2, 3));
            nodes.nodes.get(3).link.towardAll(Fault.delay(Duration.ofSeconds(2), Duration.ofSeconds(2)));
            assertThat(nodes.failure(3)).contains("n3 (number 4, DEAD) never returns");
        }
    }

    @Test
    void aMemberAsksTheOthersBeyondTheFirstThree() {
        for (Fault fault : List.of(Fault.loseRequest(), Fault.refuse())) {
            try (FormedCluster nodes = new FormedCluster(1).form(5)) {
                nodes.stop(4);
                nodes.env.advance(Duration.ofSeconds(40));
                nodes.env.await(nodes.change(0, state -> new Command.MarkDead(state.epoch(), 5, false)), BOUND);
                nodes.awaitEpoch(nodes.state(0).epoch(), 3);
                nodes.bootstrap(4, list(0, 1, 2, 3, 4));
                for (int i = 0; i < 3; i++) {
                    nodes.nodes.get(4).link.toward(node(i).id(), fault);
                }
                assertThat(nodes.failure(4)).contains("n4 (number 5, DEAD) never returns");
            }
        }
    }

    @Test
    void aMemberThatIsCutOffServesInTheEnd() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.put(0, "key", "value");
            nodes.stop(0);
            nodes.bootstrap(0, THREE);
            nodes.nodes.get(0).link.towardAll(Fault.loseRequest());
            nodes.env.advance(Duration.ofSeconds(19));
            assertThat(nodes.nodes.get(0).start.cluster().toCompletableFuture()).isNotDone();
            assertThat(nodes.waiting(0))
                    .isEqualTo("node n0 waits up to 20 s for an answer of another member at its start: [host1:1,"
                            + " host2:1]");
            nodes.env.advance(Duration.ofSeconds(2));
            assertThat(nodes.nodes.get(0).start.cluster().toCompletableFuture()).isCompleted();
        }
    }

    @Test
    void memberWithoutAnswersServesSoon() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stopAll();
            nodes.bootstrap(0, THREE);
            nodes.env.advance(Duration.ofSeconds(3));
            assertThat(nodes.nodes.get(0).start.cluster().toCompletableFuture()).isCompleted();
        }
    }
}
