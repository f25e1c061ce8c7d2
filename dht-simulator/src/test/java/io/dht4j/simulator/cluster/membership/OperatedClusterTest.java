package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipChange.Rebalance;
import io.dht4j.MembershipEvent;
import io.dht4j.MembershipEvent.Kind;
import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.State;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.ForwardingTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What applications and operators see of a membership, and change. */
class OperatedClusterTest {

    private static FormedCluster threeNodes() {
        return new FormedCluster(1).form(3);
    }

    private static ClusterMembership membership(FormedCluster nodes, int at) {
        return nodes.cluster(at).membership();
    }

    private static long change(FormedCluster nodes, int at, MembershipChange change) {
        return nodes.env.await(membership(nodes, at).change(change), BOUND);
    }

    private static String refusal(FormedCluster nodes, int at, MembershipChange change) {
        try {
            change(nodes, at, change);
            throw new AssertionError("accepted: " + change);
        } catch (DhtException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST);
            return String.valueOf(e.getMessage());
        }
    }

    private static NodeId id(int i) {
        return node(i).id();
    }

    @Test
    void statusShowsEveryNodeAndItsEpochFromAnyNode() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.env.advance(Duration.ofSeconds(10));
            for (int at = 0; at < 3; at++) {
                MembershipStatus status = nodes.status(at);
                assertThat(status.node()).isEqualTo(id(at));
                assertThat(status.partitions()).isEqualTo(FormedCluster.PARTITIONS);
                assertThat(status.metadata().voters()).containsExactly(id(0), id(1), id(2));
                assertThat(status.metadata().leader()).isPresent();
                assertThat(status.metadata().waitsFor()).isEmpty();
                assertThat(status.members()).hasSize(3).allSatisfy(member -> {
                    assertThat(member.state()).isEqualTo(State.SERVING);
                    assertThat(member.epoch()).hasValue(status.epoch());
                    assertThat(member.partitions()).isEqualTo(FormedCluster.PARTITIONS);
                    assertThat(member.toCome() + member.toGive()).isZero();
                });
            }
        }
    }

    @Test
    void aNodeThatJoinsIsShownWithWhatItWillGet() {
        try (FormedCluster nodes = threeNodes()) {
            change(nodes, 1, new MembershipChange.Add(id(3)));
            assertThat(nodes.member(1, 3).state()).isEqualTo(State.ADMITTED);
            assertThat(nodes.member(1, 3).waitsFor()).contains("start it with Membership.join");
            nodes.join(3, list(0));
            nodes.cluster(3);
            MembershipStatus.Member joined = nodes.member(3, 3);
            assertThat(joined.state()).isEqualTo(State.JOINING);
            assertThat(joined.partitions()).isZero();
            assertThat(joined.toCome()).isBetween(9, 14);
            var plan = nodes.env.await(membership(nodes, 3).plan(), BOUND);
            assertThat(plan.unplaced()).isZero();
            assertThat(plan.moves())
                    .isNotEmpty()
                    .allSatisfy(move -> assertThat(move.to()).isEqualTo(id(3)));
        }
    }

    @Test
    void repeatedChangesChangeNothing() {
        try (FormedCluster nodes = threeNodes()) {
            long first = change(nodes, 0, new MembershipChange.Add(id(3)));
            assertThat(change(nodes, 0, new MembershipChange.Add(id(3)))).isEqualTo(first);
            long paused = change(nodes, 0, Rebalance.pause());
            assertThat(change(nodes, 0, Rebalance.pause())).isEqualTo(paused);
            assertThat(nodes.status(0).rebalance().paused()).isTrue();
            change(nodes, 0, Rebalance.resume());
            change(nodes, 0, Rebalance.rate(1 << 20));
            assertThat(nodes.status(0).rebalance().bytesPerSecond()).isEqualTo(1 << 20);
            assertThat(nodes.status(0).rebalance().paused()).isFalse();
            change(nodes, 0, new MembershipChange.CancelMoves());
            assertThat(nodes.status(0).rebalance().paused()).isTrue();
        }
    }

    @Test
    void aNodeThatWouldBeMissedCannotLeave() {
        try (FormedCluster nodes = threeNodes()) {
            assertThat(refusal(nodes, 0, new MembershipChange.Remove(id(2))))
                    .contains("without n2 only 2 nodes would remain for the replication factor 3: add a node first");
        }
    }

    @Test
    void theOnlyNodeIsStoppedToEndTheCluster() {
        try (FormedCluster nodes = new FormedCluster(1).form(1)) {
            for (MembershipChange change :
                    List.of(new MembershipChange.Remove(id(0)), new MembershipChange.Replace(id(0), true))) {
                assertThat(refusal(nodes, 0, change)).contains("n0 is the only node: stop it to end the cluster");
            }
        }
    }

    @Test
    void theLastNodeOfAZoneThatIsNeededCannotLeave() {
        try (FormedCluster nodes = new FormedCluster(1).form(4)) {
            for (int i = 0; i < 4; i++) {
                change(
                        nodes,
                        0,
                        new MembershipChange.Update(
                                id(i),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(i < 2 ? "a" : "z" + i),
                                OptionalInt.empty()));
            }
            assertThat(refusal(nodes, 0, new MembershipChange.Remove(id(3))))
                    .contains("n3 is the last node of zone \"z3\"", "add a node to this zone first");
        }
    }

    @Test
    void aLeavingNodeMayStay() {
        try (FormedCluster nodes = new FormedCluster(1).form(4)) {
            change(nodes, 0, new MembershipChange.Remove(id(3)));
            assertThat(nodes.member(0, 3).state()).isEqualTo(State.LEAVING);
            assertThat(nodes.member(0, 3).toGive()).isPositive();
            change(nodes, 0, new MembershipChange.Add(id(3)));
            assertThat(nodes.member(0, 3).state()).isEqualTo(State.SERVING);
        }
    }

    @Test
    void anAdmittedNodeThatNeverJoinsIsRemovedAtOnce() {
        try (FormedCluster nodes = threeNodes()) {
            change(nodes, 0, new MembershipChange.Add(id(3)));
            change(nodes, 0, new MembershipChange.Remove(id(3)));
            assertThat(nodes.status(0).members()).hasSize(3);
        }
    }

    @Test
    void addressesZonesAndWeightsAreChanged() {
        try (FormedCluster nodes = threeNodes()) {
            change(
                    nodes,
                    0,
                    new MembershipChange.Update(
                            id(1),
                            Optional.empty(),
                            Optional.of(List.of("http://public1:8080")),
                            Optional.of("b"),
                            OptionalInt.of(2)));
            MembershipStatus.Member changed = nodes.member(0, 1);
            assertThat(changed.zone()).isEqualTo("b");
            assertThat(changed.weight()).isEqualTo(2);
            assertThat(changed.publicAddresses()).containsExactly("http://public1:8080");
            assertThat(changed.address()).hasValue("host1:1");
            assertThat(refusal(nodes, 0, update(1, "host2:1"))).contains("the address host2:1 belongs to n2");
        }
    }

    /** It accepts requests for the host of the node's own address. */
    @Test
    void transportLearnsItsOwnAddressAndItsChanges() {
        try (FormedCluster nodes = threeNodes()) {
            List<String> seen = new ArrayList<>();
            Transport recording = new ForwardingTransport(nodes.network.transport(node(3).address())) {
                @Override
                public CompletionStage<List<Set<String>>> endpoints(List<Node> known) {
                    known.stream().filter(each -> each.id().equals(id(3))).forEach(own -> seen.add(own.address()));
                    return super.endpoints(known);
                }

                @Override
                public CompletionStage<Void> start(FrameHandler handler) {
                    seen.add("listens");
                    return super.start(handler);
                }
            };
            change(nodes, 0, new MembershipChange.Add(id(3)));
            nodes.join(3, list(0), builder -> builder.transport(recording));
            nodes.cluster(3);
            assertThat(seen).startsWith(node(3).address(), "listens").doesNotContain("moved:1");

            nodes.awaitEpoch(change(nodes, 0, update(3, "moved:1")), 3);
            assertThat(seen).contains("moved:1");
        }
    }

    private static MembershipChange update(int name, String address) {
        return new MembershipChange.Update(
                id(name), Optional.of(address), Optional.empty(), Optional.empty(), OptionalInt.empty());
    }

    @Test
    void unknownNamesAreRefusedWithTheKnownOnes() {
        try (FormedCluster nodes = threeNodes()) {
            for (MembershipChange change : List.of(
                    new MembershipChange.Remove(id(7)),
                    new MembershipChange.Replace(id(7), false),
                    update(7, "host7:1"))) {
                assertThat(refusal(nodes, 0, change)).isEqualTo("there is no node n7: the nodes are n0, n1, n2");
            }
        }
    }

    @Test
    void onlyASilentNodeIsDeclaredDead() {
        try (FormedCluster nodes = threeNodes()) {
            MembershipChange replace = new MembershipChange.Replace(id(2), false);
            assertThat(refusal(nodes, 0, replace)).contains("n2 (number 3, SERVING) answers n0", "stop it first");
            nodes.crash(2);
            assertThat(refusal(nodes, 0, replace)).contains("a node is declared dead after 30 s", "repeat this in");
            nodes.env.advance(Duration.ofSeconds(31));
            assertThat(nodes.member(0, 2).silence()).isPresent();
            change(nodes, 0, replace);
            assertThat(nodes.member(0, 2).state()).isEqualTo(State.DEAD);
            assertThat(nodes.member(0, 2).waitsFor())
                    .contains("start n2 with an empty data directory and" + " Membership.join");
        }
    }

    /** The link between the node that is asked and the one that is to be replaced is cut, and no other one. */
    @Test
    void aNodeThatAnswersTheLeaderIsNotDeclaredDead() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.env.advance(Duration.ofSeconds(10));
            NodeId leader = nodes.status(0).metadata().leader().orElseThrow();
            List<Integer> others = IntStream.range(0, 3)
                    .filter(i -> !id(i).equals(leader))
                    .boxed()
                    .toList();
            int at = others.get(0);
            int alive = others.get(1);
            nodes.nodes.get(at).link.toward(id(alive), Fault.refuse());
            nodes.env.advance(Duration.ofSeconds(60));
            assertThat(refusal(nodes, at, new MembershipChange.Replace(id(alive), false)))
                    .contains("answers " + leader + ", which leads the changes", "stop it if it runs");
            assertThat(nodes.member(at, alive).state()).isEqualTo(State.SERVING);
        }
    }

    @Test
    void answerOfAnotherNodeCountsAsItsSilence() {
        List<Node> unreachable = list(9);
        for (int name : List.of(2, 7)) {
            try (FormedCluster nodes = threeNodes()) {
                nodes.crash(2);
                nodes.replaceDisk(name);
                Node other = Node.of("n" + name, node(2).address());
                nodes.join(
                        name,
                        other,
                        unreachable,
                        builder -> builder.transport(nodes.network.transport(other.address())));
                nodes.env.advance(Duration.ofSeconds(40));
                change(nodes, 0, new MembershipChange.Replace(id(2), false));
                assertThat(nodes.member(0, 2).state()).isEqualTo(State.DEAD);
            }
        }
    }

    /** With certificates, a node of another cluster serves no request of a node that it does not know. */
    @Test
    void refusalAtANodesAddressCountsAsItsSilence() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.crash(2);
            nodes.replaceDisk(2);
            nodes.bootstrap(
                    2,
                    list(2),
                    builder -> builder.transport(new CertifiedCallers(
                                    nodes.network.transport(node(2).address()), nodes.env::nanoTime))
                            .replicationFactor(1));
            nodes.cluster(2);
            nodes.env.advance(Duration.ofSeconds(40));
            change(nodes, 0, new MembershipChange.Replace(id(2), false));
            assertThat(nodes.member(0, 2).state()).isEqualTo(State.DEAD);
        }
    }

    @Test
    void statusNamesWhatPreventsChanges() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.crash(1);
            nodes.crash(2);
            nodes.env.advance(Duration.ofSeconds(20));
            assertThat(nodes.status(0).metadata().waitsFor()).contains("a majority of the voters: n1, silent", "n2");
            assertThatThrownBy(() -> change(nodes, 0, new MembershipChange.Add(id(3))))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("no leader of a majority of the voters")
                    .hasMessageContaining("MembershipChange.Recover of n1,n2;");
        }
    }

    @Test
    void aVoterThatCannotVoteIsNamedUntilItCan() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.stop(2);
            nodes.fullDisks.add(id(2));
            nodes.bootstrap(2, FormedCluster.list(0, 1, 2));
            nodes.cluster(2);
            assertThat(nodes.status(0).metadata().waitsFor())
                    .contains("n2 to take part in changes of the topology", "no space left");
            nodes.fullDisks.clear();
            nodes.env.advance(Duration.ofSeconds(20));
            assertThat(nodes.status(0).metadata().waitsFor()).isEmpty();
        }
    }

    @Test
    void aLostMajorityIsRecoveredWhenEveryOtherNodeIsNamed() {
        try (FormedCluster nodes = threeNodes()) {
            nodes.crash(1);
            nodes.crash(2);
            nodes.env.advance(Duration.ofSeconds(20));
            assertThat(refusal(nodes, 0, new MembershipChange.Recover(Set.of(id(1)))))
                    .contains("n2 does not answer, and may know a newer state");
            long epoch = change(nodes, 0, new MembershipChange.Recover(Set.of(id(1), id(2))));
            assertThat(MembershipStatus.epochText(epoch)).isEqualTo("2.1");
            assertThat(nodes.status(0).metadata().voters()).containsExactly(id(0));
        }
    }

    @Test
    void listenersHearOfEachChangeInOrderUntilTheyEnd() {
        try (FormedCluster nodes = threeNodes()) {
            List<MembershipEvent> events = new ArrayList<>();
            ClusterMembership.Subscription subscription = membership(nodes, 1).listen(events::add);
            membership(nodes, 1).listen(event -> {
                throw new IllegalStateException("a fault of a listener");
            });
            change(nodes, 0, new MembershipChange.Add(id(3)));
            nodes.join(3, list(0));
            nodes.cluster(3);
            nodes.awaitEpoch(nodes.state(3).epoch(), 0, 1);
            nodes.env.advance(Duration.ofSeconds(1));
            assertThat(events)
                    .extracting(MembershipEvent::kind)
                    .endsWith(Kind.NODE_JOINED)
                    .contains(Kind.NODE_JOINED);
            assertThat(events).allSatisfy(event -> assertThat(event.node()).isEqualTo(id(3)));
            int heard = events.size();
            subscription.close();
            long last = change(nodes, 0, new MembershipChange.Add(id(4)));
            nodes.awaitEpoch(last, 1);
            nodes.env.advance(Duration.ofSeconds(1));
            assertThat(events).hasSize(heard);
        }
    }

    @Test
    void aStaticClusterRefusesEverything() {
        try (FormedCluster nodes = new FormedCluster(1);
                Cluster alone = nodes.startStatic(0, Topology.of(node(0)))) {
            assertThatThrownBy(() -> nodes.env.await(alone.membership().add(id(1)), BOUND))
                    .isInstanceOf(DhtException.class)
                    .hasMessageContaining("the nodes of this cluster are fixed by its configuration");
            assertThatThrownBy(() -> nodes.env.await(alone.membership().status(), BOUND))
                    .isInstanceOf(DhtException.class);
        }
    }
}
