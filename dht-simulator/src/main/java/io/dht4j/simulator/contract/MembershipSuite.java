package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.failure;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipChange.Rebalance;
import io.dht4j.MembershipEvent;
import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.Member;
import io.dht4j.MembershipStatus.Metadata;
import io.dht4j.MembershipStatus.Move;
import io.dht4j.MembershipStatus.Phase;
import io.dht4j.MembershipStatus.State;
import io.dht4j.NodeId;
import io.dht4j.RebalancePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The operators' view and changes of the membership through a remote API. A part of {@link RemoteApiContract}. */
interface MembershipSuite extends RemoteApiSuite {

    /** A membership with a given answer, which keeps the changes. */
    final class Recorded implements ClusterMembership {

        final Queue<MembershipChange> changes = new ConcurrentLinkedQueue<>();
        private final MembershipStatus status;
        private final Optional<DhtException> refusal;

        Recorded(MembershipStatus status, Optional<DhtException> refusal) {
            this.status = status;
            this.refusal = refusal;
        }

        @Override
        public CompletionStage<MembershipStatus> status() {
            return CompletableFuture.completedFuture(status);
        }

        @Override
        public CompletionStage<RebalancePlan> plan() {
            return CompletableFuture.completedFuture(plan(3));
        }

        @Override
        public CompletionStage<Long> change(MembershipChange change) {
            changes.add(change);
            return refusal.<CompletionStage<Long>>map(CompletableFuture::failedFuture)
                    .orElseGet(() -> CompletableFuture.completedFuture(1L << 48 | 482));
        }

        @Override
        public Subscription listen(Consumer<MembershipEvent> listener) {
            return () -> {};
        }

        static RebalancePlan plan(int unplaced) {
            return new RebalancePlan(
                    1L << 48 | 5,
                    List.of(
                            new RebalancePlan.Move(new NodeId("n1"), new NodeId("n4"), 57, false),
                            new RebalancePlan.Move(new NodeId("n2"), new NodeId("n4"), 1, true)),
                    unplaced);
        }
    }

    /** Returns a status in which every field has a value of its own, or every optional field is absent. */
    static MembershipStatus sample(boolean full) {
        List<Member> members = new ArrayList<>();
        List<Move> moves = new ArrayList<>();
        for (State state : State.values()) {
            int number = members.size() + 1;
            members.add(new Member(
                    new NodeId("n" + number),
                    number,
                    state,
                    full ? Optional.of("h" + number + ":1") : Optional.empty(),
                    full ? List.of("http://p:1", "grpc://p:2") : List.of(),
                    full ? 7 : 1,
                    full ? "zone.b" : "",
                    11,
                    full ? 12 : 0,
                    full ? 13 : 0,
                    full ? OptionalLong.of(1L << 48 | 14) : OptionalLong.empty(),
                    full ? Optional.of(Duration.ofMillis(1_234)) : Optional.empty(),
                    full ? "grün \"and\" more" : ""));
        }
        for (Phase phase : Phase.values()) {
            moves.add(new Move(
                    1L << 48 | moves.size() + 1,
                    new NodeId("a"),
                    new NodeId("b"),
                    5,
                    phase,
                    full ? 1L << 40 : 0,
                    full ? 1L << 41 : 0,
                    full ? "a node" : ""));
        }
        return new MembershipStatus(
                new UUID(1, 2),
                new NodeId("n1"),
                1L << 48 | 482,
                3,
                256,
                members,
                full ? moves : List.of(),
                new Metadata(
                        List.of(new NodeId("n1"), new NodeId("n2")),
                        5,
                        full ? Optional.of(new NodeId("n2")) : Optional.empty(),
                        full ? "a leader" : ""),
                new MembershipStatus.Rebalance(1 << 20, full, full ? "a minute" : ""));
    }

    @Test
    default void membershipArrivesInFull() throws Exception {
        for (boolean full : new boolean[] {true, false}) {
            Recorded membership = new Recorded(sample(full), Optional.empty());
            String address = served(OneAnswerCluster.of(membership)).address();
            assertThat(result(api().membership(address, OPTIONS))).isEqualTo(sample(full));
            assertThat(result(api().plan(address, OPTIONS))).isEqualTo(Recorded.plan(3));
        }
    }

    @Test
    default void changesOfTheMembershipArriveInFull() throws Exception {
        Recorded membership = new Recorded(sample(true), Optional.empty());
        String address = served(OneAnswerCluster.of(membership)).address();
        NodeId node = new NodeId("a.node_4-x");
        List<MembershipChange> changes = List.of(
                new MembershipChange.Add(node),
                new MembershipChange.Remove(node),
                new MembershipChange.Replace(node, false),
                new MembershipChange.Replace(node, true),
                new MembershipChange.Update(
                        node,
                        Optional.of("[::1]:7000"),
                        Optional.of(List.of("http://[::1]:1", "grpc://p:2")),
                        Optional.of("zone.b"),
                        OptionalInt.of(1000)),
                new MembershipChange.Update(
                        node, Optional.empty(), Optional.of(List.of()), Optional.of(""), OptionalInt.empty()),
                Rebalance.pause(),
                Rebalance.resume(),
                Rebalance.rate(MembershipChange.MAX_RATE),
                new Rebalance(Optional.of(true), OptionalLong.of(MembershipChange.MIN_RATE)),
                new MembershipChange.CancelMoves(),
                new MembershipChange.ReplicationFactor(3),
                new MembershipChange.ReplicationFactor(MembershipChange.ReplicationFactor.MAX),
                new MembershipChange.Voters(5),
                new MembershipChange.Recover(Set.of()),
                new MembershipChange.Recover(Set.of(node, new NodeId("n1"))),
                new MembershipChange.Recover(Set.of(node), true));
        for (MembershipChange change : changes) {
            assertThat(result(api().change(address, change, OPTIONS))).isEqualTo(1L << 48 | 482);
        }
        assertThat(membership.changes).containsExactlyElementsOf(changes);
    }

    @Test
    default void aRefusedChangeSaysWhatToDo() throws Exception {
        DhtException refusal = DhtException.of(ErrorCode.BAD_REQUEST, "without n2 only 2 nodes: add a node first");
        Recorded membership = new Recorded(sample(true), Optional.of(refusal));
        String address = served(OneAnswerCluster.of(membership)).address();
        DhtException failure = failure(api().change(address, new MembershipChange.Remove(new NodeId("n2")), OPTIONS));
        assertThat(failure.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(failure).hasMessageContaining("without n2 only 2 nodes: add a node first");
    }

    @Test
    default void aStaticClusterRefusesAllOfIt() {
        for (CompletionStage<?> call : List.<CompletionStage<?>>of(
                api().membership(address(0), OPTIONS),
                api().plan(address(0), OPTIONS),
                api().change(address(0), Rebalance.pause(), OPTIONS))) {
            DhtException failure = failure(call);
            assertThat(failure.code()).isEqualTo(ErrorCode.BAD_REQUEST);
            assertThat(failure).hasMessageContaining("the nodes of this cluster are fixed by its configuration");
        }
    }
}
