package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A cluster with data, of which every batch that has begun is recorded. */
final class DrivenCluster implements AutoCloseable {

    static final int KEYS = 40;

    private static final Duration LONG = Duration.ofMinutes(15);

    final FormedCluster nodes;
    final Map<Long, Batch> begun = new TreeMap<>();

    DrivenCluster(int size) {
        this(size, builder -> builder);
    }

    DrivenCluster(int size, UnaryOperator<ClusterBuilder> options) {
        this(size, options, made -> made);
    }

    /** With other nodes than usual. */
    DrivenCluster(int size, UnaryOperator<ClusterBuilder> options, UnaryOperator<FormedCluster> made) {
        nodes = made.apply(new FormedCluster(1));
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
        return nodes.env.await(nodes.change(at, plan), BOUND);
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
                assertThat(nodes.get(i, "key" + key)).as("key%s at n%s", key, i).isEqualTo("value" + key);
            }
        }
    }

    @Override
    public void close() {
        nodes.close();
    }

    /** Pauses all moves, or lets them go on, by a command of a node. */
    void pauseMoves(int by, boolean paused) {
        change(
                by,
                state -> new Command.SetRebalance(
                        state.epoch(), new RebalanceSettings(state.rebalance().bytesPerSecond(), paused)));
    }
}
