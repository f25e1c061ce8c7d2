package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.core.options.Repair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes join an agreed cluster, or are refused with one clear message. */
class JoinTest {

    private static final List<Node> THREE = list(0, 1, 2);

    private static FormedCluster threeNodes() {
        return new FormedCluster(1).form(3);
    }

    private static long admit(FormedCluster nodes, int at, int name) {
        return nodes.env.await(
                nodes.change(
                        at, state -> new Command.Admit(state.epoch(), node(name).id())),
                BOUND);
    }

    private static Member member(FormedCluster nodes, int at, int name) {
        return nodes.state(at).members().named(node(name).id()).orElseThrow();
    }

    @Test
    void anAdmittedNodeJoinsCoordinatesAndOwnsNothing() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.put(0, "key", "value");
            admit(nodes, 0, 3);
            assertThat(member(nodes, 0, 3).lifecycle()).isEqualTo(Lifecycle.ADMITTED);

            nodes.join(3, THREE);
            assertThat(nodes.get(3, "key")).isEqualTo("value");
            nodes.put(3, "other", "value");
            assertThat(nodes.get(1, "other")).isEqualTo("value");
            assertThat(member(nodes, 3, 3).lifecycle()).isEqualTo(Lifecycle.JOINING);
            assertThat(member(nodes, 3, 3).versionSlot()).isEqualTo(3);
            assertThat(nodes.disk(3).entries()).isZero();
            assertThat(nodes.state(3).loads()[4]).isZero();

            nodes.awaitEpoch(nodes.state(3).epoch(), 0, 1, 2);
            assertThat(nodes.cluster(0).topology().nodes()).contains(node(3));
        }
    }

    @Test
    void repairSendsNothingToANodeWithoutSlots() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, THREE, builder -> builder.repair(Repair.on()));
            }
            nodes.put(0, "key", "value");
            // Moves would bring it.
            nodes.env.await(
                    nodes.change(
                            0,
                            state -> new Command.SetRebalance(
                                    state.epoch(),
                                    new RebalanceSettings(state.rebalance().bytesPerSecond(), true))),
                    BOUND);
            admit(nodes, 0, 3);
            nodes.join(3, THREE, builder -> builder.repair(Repair.on()));
            nodes.put(3, "other", "value");
            nodes.env.advance(Duration.ofMinutes(10));
            assertThat(nodes.disk(3).entries()).isZero();
            assertThat(nodes.disk(0).entries()).isEqualTo(2);
            assertThat(nodes.env
                            .await(nodes.cluster(3).operations().status(), BOUND)
                            .disagreeing())
                    .isEmpty();
        }
    }

    @Test
    void changesMayBeMadeAtAnyNode() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            for (int at = 0; at < 5; at++) {
                admit(nodes, at, 10 + at);
                assertThat(member(nodes, at, 10 + at).lifecycle()).isEqualTo(Lifecycle.ADMITTED);
            }
            nodes.awaitEpoch(nodes.state(4).epoch(), 0, 1, 2, 3);
        }
    }

    @Test
    void twoChangesAtOnceAreBothMade() {
        try (FormedCluster nodes = threeNodes()) {
            var one = nodes.change(0, state -> new Command.Admit(state.epoch(), new NodeId("a")));
            var other = nodes.change(1, state -> new Command.Admit(state.epoch(), new NodeId("b")));
            nodes.env.await(one, BOUND);
            nodes.env.await(other, BOUND);
            nodes.env.advance(Duration.ofSeconds(10));
            assertThat(nodes.state(2).members().named(new NodeId("a"))).isPresent();
            assertThat(nodes.state(2).members().named(new NodeId("b"))).isPresent();
        }
    }

    @Test
    void aJoinIsRepeatedAfterAKillAtAnyMoment() {
        for (int step = 0; step < 20; step++) {
            try (FormedCluster nodes = threeNodes()) {
                admit(nodes, 0, 3);
                nodes.join(3, THREE);
                nodes.env.advance(Duration.ofMillis(100 * step));
                nodes.crash(3);
                nodes.join(3, THREE);
                nodes.put(3, "key", "value");
                assertThat(member(nodes, 3, 3).number()).isEqualTo(4);
            }
        }
    }

    @Test
    void aJoinIsRepeatedAfterAKillAroundEachNote() {
        for (int note = 1; note <= 6; note++) {
            try (FormedCluster nodes = threeNodes()) {
                admit(nodes, 0, 3);
                nodes.join(3, THREE);
                int[] left = {note};
                nodes.disk(3).aroundNotes = name -> {
                    if (--left[0] == 0) {
                        nodes.crash(3);
                        throw new IllegalStateException("killed at " + name);
                    }
                };
                nodes.env.runUntil(() -> !nodes.nodes.containsKey(3), BOUND);
                nodes.join(3, THREE);
                nodes.put(3, "key", "value");
                assertThat(member(nodes, 3, 3).number()).isEqualTo(4);
            }
        }
    }

    @Test
    void joinedNodeRestartsFromItsOwnState() {
        try (FormedCluster nodes = threeNodes()) {
            admit(nodes, 0, 3);
            nodes.join(3, THREE);
            nodes.cluster(3);
            nodes.stop(3);
            nodes.join(3, list(7));
            nodes.put(3, "key", "value");
        }
    }

    @Test
    void aJoinWaitsForItsSeedsAndNamesThem() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.join(3, list(7, 8));
            nodes.env.advance(Duration.ofSeconds(5));
            assertThat(nodes.waiting(3))
                    .contains("n3 joins a cluster, and waits for n7 at host7:1 (", "), or n8 at host8:1 (");
        }
    }

    @Test
    void aNodeThatIsNotAdmittedIsRefused() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.join(3, THREE);
            assertThat(nodes.failure(3)).contains("n3 is not admitted: call membership().add(new NodeId(\"n3\"))");
        }
    }

    @Test
    void aKnownNameWithAnotherDiskIsRefused() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.stop(2);
            nodes.replaceDisk(2);
            nodes.join(2, list(0, 1));
            assertThat(nodes.failure(2))
                    .contains(
                            "n2 (number 3, SERVING) at host2:1 has another data directory",
                            "membership().replace(new NodeId(\"n2\"))")
                    .contains("or choose another NodeId");
        }
    }

    @Test
    void aUsedAddressIsRefused() {
        try (FormedCluster nodes = threeNodes()) {
            admit(nodes, 0, 3);
            nodes.stop(2);
            nodes.join(3, Node.of("n3", "host2:1"), list(0, 1), builder -> builder);
            assertThat(nodes.failure(3)).contains("the address host2:1 belongs to n2", "choose another one");
        }
    }

    @Test
    void onlyOneOfTwoDisksJoinsUnderAName() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            admit(nodes, 0, 3);
            nodes.join(3, list(0));
            nodes.join(7, Node.of("n3", "host7:1"), list(1), builder -> builder);
            nodes.awaitStarts();
            List<String> failures = new ArrayList<>();
            for (int i : List.of(3, 7)) {
                nodes.nodes.get(i).start.cluster().whenComplete((cluster, error) -> {
                    if (error != null) {
                        failures.add(String.valueOf(DhtException.unwrap(error).getMessage()));
                    }
                });
            }
            assertThat(failures).hasSize(1);
            assertThat(failures.get(0)).contains("n3", "membership().replace(new NodeId(\"n3\"))");
        }
    }

    @Test
    void contradictingSettingsAreRefusedWithBothValues() {
        try (FormedCluster nodes = threeNodes()) {
            admit(nodes, 0, 3);
            nodes.join(
                    3,
                    THREE,
                    builder -> builder.partitions(64)
                            .replicationFactor(2)
                            .maxValueBytes(1000)
                            .hash(HashFunctions.sipHash(new byte[16])));
            assertThat(nodes.failure(3))
                    .contains("n3 contradicts the cluster's settings")
                    .contains("partitions is 16 in the cluster, 64 at n3")
                    .contains("replication factor is 3 in the cluster, 2 at n3")
                    .contains("largest value is 16777216 bytes in the cluster, 1000 bytes at n3")
                    .contains("hash is xxh3 in the cluster, siphash at n3");
            assertThat(member(nodes, 0, 3).lifecycle()).isEqualTo(Lifecycle.ADMITTED);
        }
    }

    @Test
    void foundersWaitForOneThatWasStartedToJoin() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            nodes.bootstrap(0, THREE);
            nodes.bootstrap(1, THREE);
            nodes.join(2, list(0, 1));
            nodes.env.advance(Duration.ofMinutes(1));
            assertThat(nodes.waiting(0))
                    .contains("waits for n2 (node n2 was started with Membership.join, and forms no cluster:"
                            + " start all nodes");
            nodes.stop(2);
            nodes.bootstrap(2, THREE);
            assertThat(nodes.cluster(0).topology().size()).isEqualTo(3);
        }
    }

    @Test
    void aNodeWithDataDoesNotJoin() {
        try (FormedCluster nodes = threeNodes()) {
            admit(nodes, 0, 3);
            var alone = nodes.startStatic(3, Topology.of(node(3)));
            nodes.env.await(alone.put(io.dht4j.Key.of("key"), new byte[1]), BOUND);
            alone.close();
            nodes.join(3, THREE);
            assertThat(nodes.failure(3)).contains("n3 holds 1 entries of no agreed cluster");
        }
    }

    @Test
    void aRemovedNodeStopsServingAndNeverReturns() {
        try (FormedCluster nodes = threeNodes()) {
            admit(nodes, 0, 3);
            nodes.join(3, THREE);
            nodes.cluster(3);
            nodes.env.await(nodes.change(0, state -> new Command.Leave(state.epoch(), 4)), BOUND);
            assertThat(nodes.env.await(nodes.cluster(3).failure(), BOUND))
                    .contains("n3 (number 4, REMOVED) has left; to let it join again,"
                            + " call membership().add(new NodeId(\"n3\")), and");
            nodes.stop(3);
            nodes.join(3, THREE);
            assertThat(nodes.failure(3))
                    .contains("never returns: call membership().add(new NodeId(\"n3\")), and start n3 with"
                            + " an empty data directory");
        }
    }

    @Test
    void refusedChangesFailWithTheReason() {
        try (FormedCluster nodes = threeNodes()) {
            assertThat(refusal(nodes, new Command.Admit(0, node(1).id())))
                    .contains("n1 (number 2, SERVING) has this name already");
            assertThat(refusal(nodes, new Command.StartBatch(0, 1, 2, PartitionSet.of(1))))
                    .contains("partition 1 has no slot at n0 (number 1, SERVING) that can move to n1");
        }
    }

    private static String refusal(FormedCluster nodes, Command command) {
        try {
            nodes.env.await(
                    nodes.change(
                            1,
                            state -> command instanceof Command.StartBatch start
                                    ? new Command.StartBatch(
                                            state.epoch(), start.from(), start.to(), start.partitions())
                                    : new Command.Admit(state.epoch(), ((Command.Admit) command).name())),
                    BOUND);
            throw new AssertionError("accepted: " + command);
        } catch (DhtException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST);
            return String.valueOf(e.getMessage());
        }
    }
}
