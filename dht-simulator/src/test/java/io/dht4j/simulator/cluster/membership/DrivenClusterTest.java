package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.membership.BatchProgress;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.Batch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Epoch;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.Phase;
import io.dht4j.core.internal.membership.state.RebalanceSettings;
import io.dht4j.core.internal.placement.PartitionSet;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The driver moves slots and members on: whole clusters in virtual time, over the model log. */
class DrivenClusterTest {

    private static final List<Node> THREE = list(0, 1, 2);
    private static final int KEYS = 40;

    /** A cluster with data, of which every batch that has begun is recorded. */
    private static final class Driven implements AutoCloseable {

        final FormedCluster nodes = new FormedCluster(1);
        final Map<Long, Batch> begun = new TreeMap<>();

        Driven(int size) {
            this(size, builder -> builder);
        }

        Driven(int size, UnaryOperator<ClusterBuilder> options) {
            List<Node> founders = list(IntStream.range(0, size).toArray());
            for (int i = 0; i < size; i++) {
                nodes.bootstrap(i, founders, options);
            }
            nodes.awaitStarts();
            for (int key = 0; key < KEYS; key++) {
                nodes.put(key % size, "key" + key, "value" + key);
            }
            record(0);
        }

        void record(int at) {
            nodes.membership(at).follow(state -> state.batches().forEach(batch -> begun.put(batch.id(), batch)));
        }

        long change(int at, Function<ClusterState, Command> plan) {
            return nodes.env.await(nodes.membership(at).change(plan), BOUND);
        }

        String refusal(int at, Function<ClusterState, Command> plan) {
            try {
                change(at, plan);
                throw new AssertionError("accepted");
            } catch (DhtException e) {
                return String.valueOf(e.getMessage());
            }
        }

        void join(int at, int i) {
            change(at, state -> new Command.Admit(state.epoch(), node(i).id()));
            nodes.join(i, nodes.nodes.keySet().stream().map(FormedCluster::node).toList());
            nodes.cluster(i);
        }

        Member member(int at, int name) {
            return nodes.state(at).members().named(node(name).id()).orElseThrow();
        }

        int number(int at, int name) {
            return member(at, name).number();
        }

        int load(int at, int name) {
            return nodes.state(at).loads()[number(at, name)];
        }

        void await(int at, Predicate<ClusterState> wanted) {
            AgreedMembership member = nodes.membership(at);
            nodes.env.runUntil(() -> wanted.test(member.state().orElseThrow()), LONG);
        }

        void awaitServing(int at, int name) {
            await(
                    at,
                    state -> state.batches().isEmpty()
                            && state.members()
                                    .named(node(name).id())
                                    .filter(member -> member.lifecycle() == Lifecycle.SERVING)
                                    .isPresent());
        }

        void awaitRemoved(int at, int number) {
            await(at, state -> state.members().get(number).lifecycle() == Lifecycle.REMOVED);
        }

        /** Waits for a batch in a phase. */
        Batch awaitBatch(int at, Phase phase) {
            await(at, state -> state.batches().stream().anyMatch(batch -> batch.phase() == phase));
            return nodes.state(at).batches().stream()
                    .filter(batch -> batch.phase() == phase)
                    .findFirst()
                    .orElseThrow();
        }

        int leader() {
            List<AgreedMembership> all =
                    nodes.nodes.keySet().stream().map(nodes::membership).toList();
            nodes.env.runUntil(
                    () -> all.stream().anyMatch(each -> each.reports().own().leads()), BOUND);
            return nodes.nodes.keySet().stream()
                    .filter(i -> nodes.membership(i).reports().own().leads())
                    .findFirst()
                    .orElseThrow();
        }

        /** Lets a node report no progress, so that what it takes over stays in COPY. */
        void hold(int i) {
            AgreedMembership member = nodes.membership(i);
            member.reports()
                    .from(() -> member.state().orElseThrow().batches().stream()
                            .filter(batch -> batch.to() == member.member().number())
                            .map(batch ->
                                    new BatchProgress(batch.id(), PartitionSet.empty(), 0, 0, Optional.of("the test")))
                            .toList());
        }

        void release(int i) {
            NodeCluster node = (NodeCluster) nodes.cluster(i);
            nodes.membership(i).reports().from(node.moves());
        }

        void assertData(int... at) {
            for (int i : at) {
                for (int key = 0; key < KEYS; key++) {
                    assertThat(nodes.get(i, "key" + key))
                            .as("key%s at n%s", key, i)
                            .isEqualTo("value" + key);
                }
            }
        }

        @Override
        public void close() {
            nodes.close();
        }
    }

    private static final Duration LONG = Duration.ofMinutes(15);

    @Test
    void aJoinedNodeGetsItsShareAndServes() {
        try (Driven cluster = new Driven(3)) {
            cluster.join(0, 3);
            cluster.nodes.env.advance(Duration.ofSeconds(30));
            assertThat(cluster.load(0, 3)).as("further joins are waited for").isZero();
            cluster.awaitServing(0, 3);
            assertThat(cluster.load(0, 3)).isBetween(10, 13);
            assertThat(Arrays.stream(cluster.nodes.state(0).loads()).sum()).isEqualTo(3 * FormedCluster.PARTITIONS);
            cluster.assertData(0, 3);
            cluster.nodes.env.advance(Duration.ofSeconds(10));
            assertThat(cluster.nodes.state(3)).isEqualTo(cluster.nodes.state(0));
        }
    }

    @Test
    void joinsWithinAMinuteArePlannedTogether() {
        try (Driven cluster = new Driven(3)) {
            cluster.join(0, 3);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.join(1, 4);
            cluster.awaitServing(0, 3);
            cluster.awaitServing(0, 4);
            assertThat(cluster.load(0, 3)).isBetween(8, 11);
            assertThat(cluster.load(0, 4)).isBetween(8, 11);
            assertThat(cluster.begun.values())
                    .as("no slot moves twice")
                    .allSatisfy(batch -> assertThat(batch.from()).isLessThanOrEqualTo(3));
            cluster.assertData(4);
        }
    }

    @Test
    void aRollingRestartMovesNothing() {
        try (Driven cluster = new Driven(4)) {
            cluster.nodes.env.advance(Duration.ofMinutes(3));
            ClusterState before = cluster.nodes.state(0);
            for (int i = 0; i < 4; i++) {
                cluster.nodes.stop(i);
                cluster.nodes.env.advance(Duration.ofMinutes(2));
                cluster.nodes.bootstrap(i, list(0, 1, 2, 3));
                cluster.nodes.cluster(i);
                cluster.nodes.env.advance(Duration.ofMinutes(2));
            }
            assertThat(cluster.nodes.state(0)).isEqualTo(before);
        }
    }

    @Test
    void aLeavingNodeIsEmptiedAndRemovedWhicheverItIs() {
        for (int leaving = 0; leaving < 4; leaving++) {
            try (Driven cluster = new Driven(4)) {
                int at = (leaving + 1) % 4;
                int number = cluster.number(at, leaving);
                cluster.change(at, state -> new Command.Leave(state.epoch(), number));
                cluster.awaitRemoved(at, number);
                assertThat(cluster.nodes.state(at).loads()[number]).isZero();
                assertThat(cluster.nodes.state(at).members().voters())
                        .hasSize(3)
                        .doesNotContain(number);
                assertThat(cluster.nodes.env.await(
                                cluster.nodes.cluster(leaving).failure(), BOUND))
                        .contains("never returns");
                assertThat(cluster.nodes.cluster(leaving).membership().isRemoved())
                        .isTrue();
                cluster.nodes.stop(leaving);
                cluster.assertData(at);
                cluster.change(at, state -> new Command.Admit(state.epoch(), node(9).id()));
            }
        }
    }

    @Test
    void aLeaveThatCannotFitIsRefused() {
        try (Driven cluster = new Driven(3)) {
            assertThat(cluster.refusal(0, state -> new Command.Leave(state.epoch(), 1)))
                    .contains("without n0 only 2 nodes would remain for the replication factor 3: add a node first");
        }
    }

    @Test
    void aLeavingNodeWaitsForItsVotersAndHints() {
        try (Driven cluster = new Driven(4)) {
            cluster.nodes.membership(3).reports().pending(() -> 7, () -> 0);
            int number = cluster.number(0, 3);
            cluster.change(0, state -> new Command.Leave(state.epoch(), number));
            cluster.await(0, state -> state.loads()[number] == 0);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            assertThat(cluster.member(0, 3).lifecycle()).isEqualTo(Lifecycle.LEAVING);
            cluster.nodes.membership(3).reports().pending(() -> 0, () -> 0);
            cluster.awaitRemoved(0, number);
        }
    }

    @Test
    void aDeadNodeIsReplacedByAnEmptyDiskOfItsName() {
        for (int dead = 0; dead < 3; dead++) {
            try (Driven cluster = new Driven(3)) {
                int at = (dead + 1) % 3;
                cluster.nodes.crash(dead);
                cluster.nodes.env.advance(Duration.ofSeconds(40));
                int number = dead + 1;
                cluster.change(at, state -> new Command.MarkDead(state.epoch(), number, false));
                cluster.nodes.replaceDisk(dead);
                cluster.nodes.join(dead, list(at, (dead + 2) % 3));
                cluster.nodes.cluster(dead);
                cluster.awaitRemoved(at, number);
                cluster.awaitServing(at, dead);
                assertThat(cluster.number(at, dead)).isEqualTo(4);
                assertThat(cluster.load(at, dead)).isEqualTo(FormedCluster.PARTITIONS);
                cluster.await(at, state -> state.members().voters().contains(4));
                cluster.assertData(dead);
            }
        }
    }

    @Test
    void slotsOfADeadNodeMoveToTheOthersIfNobodyReplacesIt() {
        try (Driven cluster = new Driven(4)) {
            cluster.nodes.crash(3);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(0, state -> new Command.MarkDead(state.epoch(), 4, false));
            cluster.await(0, state -> state.loads()[4] == 0 && state.batches().isEmpty());
            cluster.nodes.env.advance(Duration.ofMinutes(5));
            cluster.nodes.replaceDisk(3);
            cluster.nodes.join(3, THREE);
            cluster.nodes.cluster(3);
            cluster.awaitRemoved(0, 4);
            cluster.awaitServing(0, 3);
            cluster.assertData(1);
        }
    }

    @Test
    void movesGoOnWhereverTheDriverDies() {
        boolean more = true;
        for (int commands = 1; more; commands++) {
            try (Driven cluster = new Driven(3)) {
                cluster.join(0, 3);
                long epoch = cluster.nodes.state(0).epoch() + commands;
                int leader = cluster.leader();
                cluster.await(
                        leader,
                        state ->
                                state.epoch() >= epoch || state.members().get(4).lifecycle() == Lifecycle.SERVING);
                more = cluster.member(leader, 3).lifecycle() != Lifecycle.SERVING;
                cluster.nodes.crash(leader);
                cluster.nodes.env.advance(Duration.ofSeconds(20));
                cluster.nodes.bootstrap(leader, THREE);
                cluster.nodes.cluster(leader);
                cluster.awaitServing(3, 3);
                assertThat(cluster.load(3, 3)).isBetween(10, 13);
                cluster.assertData(3);
            }
        }
    }

    @Test
    void pausedMovesStandStillAndGoOn() {
        try (Driven cluster = new Driven(3)) {
            cluster.join(0, 3);
            cluster.hold(3);
            Batch copied = cluster.awaitBatch(0, Phase.COPY);
            pause(cluster, true);
            cluster.release(3);
            cluster.nodes.env.advance(Duration.ofMinutes(3));
            assertThat(cluster.nodes.state(0).batches()).contains(copied);
            pause(cluster, false);
            cluster.awaitServing(0, 3);
        }
    }

    private static void pause(Driven cluster, boolean paused) {
        cluster.change(
                1,
                state -> new Command.SetRebalance(
                        state.epoch(), new RebalanceSettings(state.rebalance().bytesPerSecond(), paused)));
    }

    @Test
    void batchesAreCancelledInEachPhase() {
        for (Phase phase : List.of(Phase.COPY, Phase.BOTH)) {
            try (Driven cluster = new Driven(3)) {
                ClusterState formed = cluster.nodes.state(0);
                cluster.join(0, 3);
                if (phase == Phase.COPY) {
                    cluster.hold(3);
                } else {
                    // The owner does not install BOTH, so that the batch stays in it.
                    cluster.awaitBatch(0, Phase.COPY);
                }
                Batch batch = cluster.awaitBatch(0, phase);
                if (phase == Phase.BOTH) {
                    // At once, since the driver goes on.
                    cluster.change(0, state -> new Command.AbortBatch(state.epoch(), batch.id()));
                }
                pause(cluster, true);
                long epoch = cluster.nodes.state(0).epoch();
                for (Batch each : cluster.nodes.state(0).batches()) {
                    if (each.phase() != Phase.UNDO) {
                        cluster.change(0, state -> new Command.AbortBatch(state.epoch(), each.id()));
                    }
                }
                cluster.await(0, state -> state.batches().isEmpty());
                assertThat(cluster.nodes.state(0).epoch()).isGreaterThan(epoch);
                cluster.nodes.env.advance(Duration.ofMinutes(2));
                assertThat(cluster.nodes
                                .state(0)
                                .slots()
                                .slotOf(batch.partitions().toArray()[0], batch.from()))
                        .isEqualTo(formed.slots().slotOf(batch.partitions().toArray()[0], batch.from()));
                cluster.assertData(0, 3);
                cluster.release(3);
                pause(cluster, false);
                cluster.awaitServing(0, 3);
                cluster.assertData(3);
            }
        }
    }

    @Test
    void anHeirThatNeverComesBackKeepsNothingWaiting() {
        try (Driven cluster = new Driven(3)) {
            cluster.join(0, 3);
            cluster.hold(3);
            cluster.awaitBatch(0, Phase.COPY);
            cluster.nodes.crash(3);
            cluster.nodes.env.advance(Duration.ofMinutes(9));
            assertThat(cluster.nodes.state(0).batches())
                    .as("it may be restarting")
                    .isNotEmpty();
            cluster.await(0, state -> state.batches().isEmpty());
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            assertThat(cluster.nodes.state(0).batches())
                    .as("slots move to nodes that answer")
                    .isEmpty();
            cluster.change(0, state -> new Command.MarkDead(state.epoch(), 4, false));
            cluster.change(0, state -> new Command.Remove(state.epoch(), 4));
            cluster.assertData(0);
        }
    }

    @Test
    void aNodeVotesAgainAfterItDidNot() {
        try (Driven cluster = new Driven(3, builder -> builder.replicationFactor(2))) {
            cluster.change(0, state -> new Command.Leave(state.epoch(), 3));
            cluster.awaitRemoved(0, 3);
            assertThat(cluster.nodes.state(0).members().voters()).hasSize(1);
            cluster.nodes.stop(2);
            cluster.join(0, 3);
            cluster.awaitServing(0, 3);
            cluster.await(0, state -> state.members().voters().equals(List.of(1, 2, 4)));
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            // All three agree: one of them may go.
            cluster.nodes.crash(cluster.leader());
            int left = cluster.nodes.nodes.keySet().iterator().next();
            cluster.nodes.env.advance(Duration.ofSeconds(20));
            cluster.change(left, state -> new Command.Admit(state.epoch(), node(7).id()));
        }
    }

    @Test
    void theVersionSlotOfARemovedNodeIsReleasedAfterTwiceTheSkew() {
        try (Driven cluster = new Driven(4)) {
            cluster.change(0, state -> new Command.Leave(state.epoch(), 4));
            cluster.awaitRemoved(0, 4);
            assertThat(cluster.nodes.state(0).members().get(4).versionSlot()).isEqualTo(3);
            cluster.await(0, state -> state.members().get(4).versionSlot() == Member.NO_VERSION_SLOT);
        }
    }

    @Test
    void aLostMajorityOfVotersIsRecoveredByWord() {
        try (Driven cluster = new Driven(5)) {
            cluster.nodes.crash(0);
            cluster.nodes.crash(1);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            assertThat(cluster.refusal(3, state -> new Command.Admit(state.epoch(), node(7).id())))
                    .contains("does not answer");
            assertThat(recovery(cluster, 3, 0)).contains("n1 does not answer, and may know a newer state");
            assertThat(recovery(cluster, 3, 0, 1, 4)).contains("n4 answers, and is not lost");
            assertThat(recovery(cluster, 3, 0, 1, 9)).contains("no node n9 is present");
            assertThat(recovery(cluster, 3, 0, 1)).isEmpty();
            assertThat(Epoch.generation(cluster.nodes.state(3).epoch())).isEqualTo(2);
            cluster.nodes.awaitEpoch(cluster.nodes.state(3).epoch(), 2, 4);
            cluster.nodes.env.advance(Duration.ofSeconds(20));
            cluster.change(4, state -> new Command.MarkDead(state.epoch(), 1, true));
            cluster.change(2, state -> new Command.MarkDead(state.epoch(), 2, true));
            cluster.await(
                    3,
                    state -> state.loads()[1] + state.loads()[2] == 0
                            && state.batches().isEmpty());
            assertThat(cluster.nodes.state(3).members().voters()).containsExactly(3, 4, 5);
            cluster.assertData(2);

            // What comes back all the same has an earlier state, and learns that it was declared dead.
            cluster.nodes.bootstrap(0, list(0, 1, 2, 3, 4));
            assertThat(cluster.nodes.env.await(cluster.nodes.cluster(0).failure(), BOUND))
                    .contains("never returns");
            assertThat(cluster.nodes.cluster(0).membership().isRemoved()).isFalse();

            for (int i = 2; i < 5; i++) {
                cluster.nodes.stop(i);
                cluster.nodes.bootstrap(i, list(0, 1, 2, 3, 4));
                cluster.nodes.cluster(i);
                cluster.nodes.env.advance(Duration.ofSeconds(20));
            }
            cluster.change(2, state -> new Command.Admit(state.epoch(), node(7).id()));
        }
    }

    @Test
    void aMajorityThatIsLeftNeedsNoRecovery() {
        try (Driven cluster = new Driven(3)) {
            cluster.nodes.crash(0);
            assertThat(recovery(cluster, 1, 0)).contains("2 of 3 voters answer, which is a majority");
        }
    }

    /** Returns why a recovery is refused; empty if it is not. */
    private static String recovery(Driven cluster, int at, int... lost) {
        Set<NodeId> names = IntStream.of(lost).mapToObj(i -> node(i).id()).collect(Collectors.toSet());
        try {
            cluster.nodes.env.await(cluster.nodes.membership(at).recover(names), BOUND);
            return "";
        } catch (DhtException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
