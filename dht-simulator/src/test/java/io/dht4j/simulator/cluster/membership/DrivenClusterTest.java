package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.core.internal.membership.BatchProgress;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.Batch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The driver moves slots and members on. Heirs claim to be complete, so no data moves: only states are looked at. */
class DrivenClusterTest {

    private static final List<Node> THREE = list(0, 1, 2);
    private static final Duration LONG = Duration.ofMinutes(10);

    private static FormedCluster formed(int size) {
        FormedCluster nodes = new FormedCluster(1).form(size);
        for (int i = 0; i < size; i++) {
            claimComplete(nodes, i);
        }
        return nodes;
    }

    /** Lets a node report what it takes over as complete at once. */
    private static void claimComplete(FormedCluster nodes, int i) {
        report(nodes, i, Batch::partitions);
    }

    private static void report(FormedCluster nodes, int i, Function<Batch, PartitionSet> complete) {
        AgreedMembership member = nodes.membership(i);
        member.reports()
                .from(() -> member.state().orElseThrow().batches().stream()
                        .filter(batch -> batch.to() == member.member().number())
                        .map(batch -> new BatchProgress(batch.id(), complete.apply(batch), 0, 0, Optional.empty()))
                        .toList());
    }

    private static void change(FormedCluster nodes, int at, Function<ClusterState, Command> plan) {
        nodes.env.await(nodes.membership(at).change(plan), BOUND);
    }

    private static void join(FormedCluster nodes, int i) {
        change(nodes, 0, state -> new Command.Admit(state.epoch(), node(i).id()));
        nodes.join(i, THREE);
        claimComplete(nodes, i);
    }

    private static Member member(FormedCluster nodes, int at, int name) {
        return nodes.state(at).members().named(node(name).id()).orElseThrow();
    }

    private static int load(FormedCluster nodes, int at, int name) {
        return nodes.state(at).loads()[member(nodes, at, name).number()];
    }

    private static void awaitState(FormedCluster nodes, int at, Predicate<ClusterState> wanted) {
        AgreedMembership member = nodes.membership(at);
        nodes.env.runUntil(() -> wanted.test(member.state().orElseThrow()), LONG);
    }

    private static void awaitServing(FormedCluster nodes, int at, int name) {
        awaitState(
                nodes,
                at,
                state -> state.batches().isEmpty()
                        && state.members()
                                .named(node(name).id())
                                .filter(member -> member.lifecycle() == Lifecycle.SERVING)
                                .isPresent());
    }

    private static int leader(FormedCluster nodes) {
        return nodes.nodes.keySet().stream()
                .filter(i -> nodes.membership(i).reports().own().leads())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aJoinedNodeGetsItsShareAndServes() {
        try (FormedCluster nodes = formed(3)) {
            join(nodes, 3);
            nodes.env.advance(Duration.ofSeconds(30));
            assertThat(load(nodes, 0, 3)).isZero();
            awaitServing(nodes, 0, 3);
            assertThat(load(nodes, 0, 3)).isBetween(10, 13);
            assertThat(Arrays.stream(nodes.state(0).loads()).sum()).isEqualTo(3 * FormedCluster.PARTITIONS);
            nodes.env.advance(Duration.ofSeconds(10));
            assertThat(nodes.state(3)).isEqualTo(nodes.state(0));
        }
    }
}
