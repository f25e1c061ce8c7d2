package io.dht4j.simulator;

import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * A network partition of the cluster in which both sides continue. The side with the majority of the voters moves slots
 * among its nodes. An operator of the other side declares all of these nodes lost, and begins the next generation. Then
 * the partition heals.
 *
 * <p>Reads may miss the lost side's later acknowledged writes until its nodes have installed the recovered state, and
 * have compared their entries. So a write of a node of that side counts as one of unknown outcome, and other reads need
 * not show the results of its reads. Once the sides are merged, every slot must have the acknowledged writes of both
 * sides. Confined to the simulation's thread.
 */
final class Division {

    private static final int EARLIEST_SECONDS = 10;
    private static final int LATEST_SECONDS = 60;
    private static final int LONGEST_PART_SECONDS = 60;
    private static final int LONGEST_PREPARATION_SECONDS = 20;
    private static final int MOVES_SECONDS = 20;
    private static final Duration POLL = Duration.ofSeconds(1);
    /** An operator gives up if the nodes of his side do not answer for so long. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final int VOTERS = 3;
    private static final int MOST_MOVES = 4;

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final SimulatedNodes nodes;
    private final Faults faults;
    private final Operator operator;
    private final Runnable reunited;

    /** Whether the division is about to begin, or has. */
    private boolean prepared;

    private boolean active;
    private boolean over;
    private boolean recovered;
    private List<SimulatedNode> lost = List.of();
    private int generation;
    private Duration begun = Duration.ZERO;

    /**
     * Creates a division that has not begun.
     *
     * @param reunited runs when the sides are one again
     */
    Division(
            SplittableRandom random,
            VirtualEnvironment world,
            SimulatedNodes nodes,
            Faults faults,
            Operator operator,
            Runnable reunited) {
        this.random = random;
        this.world = world;
        this.nodes = nodes;
        this.faults = faults;
        this.operator = operator;
        this.reunited = reunited;
    }

    /** Divides the cluster after a while, and as soon as it is well. */
    void begin() {
        later(seconds(EARLIEST_SECONDS, LATEST_SECONDS), this::divide);
    }

    /** Begins no further action. */
    void end() {
        over = true;
    }

    /** Returns whether the nodes must not change otherwise. */
    boolean isPrepared() {
        return prepared;
    }

    /** Returns whether the sides are not one again yet. */
    boolean isActive() {
        return active;
    }

    /** Returns whether a recovery may discard the present acknowledgements and results of a node. */
    boolean isSetAside(SimulatedNode node) {
        return active && lost.contains(node) && generation(node) <= generation;
    }

    private static int generation(SimulatedNode node) {
        return agreed(node)
                .flatMap(AgreedMembership::state)
                .map(state -> Epoch.generation(state.epoch()))
                .orElse(0);
    }

    private static Optional<AgreedMembership> agreed(SimulatedNode node) {
        return node.running().flatMap(process -> ((NodeCluster) process.cluster()).agreed());
    }

    private Duration seconds(int least, int most) {
        return Duration.ofMillis(1000L * least + random.nextInt(1000 * (most - least)));
    }

    private void later(Duration delay, Runnable what) {
        world.schedule(what, delay.toNanos());
    }

    private void divide() {
        if (over) {
            return;
        }
        ClusterState state = nodes.states().newest().orElseThrow();
        List<SimulatedNode> side = side(state);
        if (side.isEmpty()) {
            later(POLL, this::divide);
            return;
        }
        lost = side;
        generation = Epoch.generation(state.epoch());
        prepared = true;
        List<SimulatedNode> left = new ArrayList<>(nodes.present());
        left.removeAll(lost);
        // Writes during this time are on two replicas of three, if this node is the third one.
        List<SimulatedNode> alone = List.of(left.get(random.nextInt(left.size())));
        faults.divide(alone);
        later(seconds(1, LONGEST_PREPARATION_SECONDS), () -> {
            faults.reunite(alone);
            cut();
        });
    }

    private void cut() {
        begun = world.elapsed();
        active = true;
        faults.count("division");
        faults.divide(lost);
        for (int i = 1 + random.nextInt(MOST_MOVES); i > 0; i--) {
            later(seconds(0, MOVES_SECONDS), this::move);
        }
        later(seconds(1, LONGEST_PART_SECONDS), this::recover);
    }

    /** Returns most of the voters, and perhaps others; empty while the cluster is not well, or too small. */
    private List<SimulatedNode> side(ClusterState state) {
        List<SimulatedNode> present = nodes.present();
        List<Member> members = state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent())
                .toList();
        boolean well = operator.open().isEmpty()
                && members.size() == present.size()
                && members.stream().allMatch(member -> member.lifecycle() == Lifecycle.SERVING)
                && present.stream().allMatch(node -> node.running().isPresent() && !node.isAway())
                && !state.slots().hasVacant()
                && state.members().voters().size() == VOTERS;
        List<SimulatedNode> voters = new ArrayList<>(state.members().voters().stream()
                .flatMap(voter -> nodes.node(state, voter).stream())
                .toList());
        if (!well || present.size() < 2 * VOTERS - 1 || voters.size() < VOTERS) {
            return List.of();
        }
        Collections.shuffle(voters, new Random(random.nextLong()));
        List<SimulatedNode> chosen = new ArrayList<>(voters.subList(0, VOTERS - 1));
        List<SimulatedNode> others = new ArrayList<>(present);
        others.removeAll(voters);
        if (random.nextBoolean()) {
            chosen.add(others.get(random.nextInt(others.size())));
        }
        return chosen;
    }

    /** Moves slots from one node of the lost side to another one. */
    private void move() {
        SimulatedNode from = lost.get(random.nextInt(lost.size()));
        SimulatedNode to = lost.get(random.nextInt(lost.size()));
        if (!active || from == to) {
            return;
        }
        from.running()
                .ifPresent(process -> process.environment()
                        .executor()
                        .execute(() -> agreed(from)
                                .ifPresent(agreed -> agreed.change(state -> batch(state, from, to))
                                        .exceptionally(error -> 0L))));
    }

    private static Optional<Command> batch(ClusterState state, SimulatedNode from, SimulatedNode to) {
        Optional<Member> source = SimulatedNodes.member(state, from);
        Optional<Member> target = SimulatedNodes.member(state, to);
        if (source.isEmpty() || target.isEmpty()) {
            return Optional.empty();
        }
        int owner = source.get().number();
        int heir = target.get().number();
        PartitionSet movable = PartitionSet.matching(
                state.partitions(),
                partition -> state.batchOf(partition).isEmpty()
                        && state.slots().slotOf(partition, owner) >= 0
                        && !state.involves(partition, heir));
        return movable.isEmpty()
                ? Optional.empty()
                : Optional.of(new Command.StartBatch(state.epoch(), owner, heir, movable));
    }

    /** Begins the next generation on the other side, unless that takes too long. */
    private void recover() {
        recovered |= nodes.present().stream().anyMatch(node -> generation(node) > generation);
        if (recovered || over || world.elapsed().minus(begun).compareTo(PATIENCE) > 0) {
            later(seconds(0, LONGEST_PART_SECONDS), this::reunite);
            return;
        }
        Set<NodeId> names = lost.stream().map(node -> node.node.id()).collect(Collectors.toSet());
        List<SimulatedNode> left = nodes.present().stream()
                .filter(node -> !lost.contains(node) && node.running().isPresent())
                .toList();
        if (!left.isEmpty()) {
            SimulatedNode asked = left.get(random.nextInt(left.size()));
            asked.running()
                    .ifPresent(process -> process.environment()
                            .executor()
                            .execute(() -> agreed(asked)
                                    .ifPresent(agreed ->
                                            agreed.recover(names, false).exceptionally(error -> 0L))));
        }
        later(POLL.multipliedBy(5), this::recover);
    }

    private void reunite() {
        faults.count(recovered ? "recovery while both sides live" : "division without a recovery");
        faults.reunite(lost);
        await();
    }

    private void await() {
        long newest = nodes.states().newest().map(ClusterState::epoch).orElse(0L);
        boolean one = nodes.present().stream()
                .allMatch(node -> generation(node) == Epoch.generation(newest)
                        && agreed(node)
                                .filter(agreed ->
                                        agreed.views().diverged().all().isEmpty())
                                .isPresent());
        if (one) {
            active = false;
            prepared = false;
            reunited.run();
        } else {
            later(POLL, this::await);
        }
    }

    /** Describes what the sides wait for, for people. */
    String waits() {
        return "the sides of a division are not one again, since "
                + nodes.present().stream()
                        .map(node -> node.node.id() + " is in generation " + generation(node)
                                + agreed(node)
                                        .map(agreed -> ", diverged in "
                                                + agreed.views().diverged().all())
                                        .orElse(""))
                        .toList();
    }
}
