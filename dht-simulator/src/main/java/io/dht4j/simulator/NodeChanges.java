package io.dht4j.simulator;

import io.dht4j.ClusterMembership;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipChange.Rebalance;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.internal.membership.BalanceCheck;
import io.dht4j.simulator.internal.node.Agreement;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/**
 * The changes of a simulated cluster: nodes join, leave and are replaced; replicas are added; moves are stopped, undone
 * and slowed down. Confined to the simulation's thread.
 */
final class NodeChanges {

    private static final int MOST_NODES = 7;
    private static final int LONGEST_REST_SECONDS = 90;
    /** By then, clients have used the replicas that there are at first. */
    private static final int LATEST_GROWTH_SECONDS = 120;

    private static final int LONGEST_PAUSE_MILLIS = 20_000;
    /** An operator may replace a node that has been silent for 30 seconds. */
    private static final Duration SILENCE = Duration.ofSeconds(31);
    /** Longer than a minute for each plan, and the steps of all batches. */
    private static final Duration REST_BOUND = Duration.ofMinutes(30);

    private static final Duration POLL = Duration.ofSeconds(1);
    private static final int SECONDS_OF_PLAN = 60;

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final SimulatedNodes nodes;
    private final Faults faults;
    private final Operator operator;
    private final LostMajority lostMajority;
    private final Division division;
    /** Nodes with lost disks, which must be replaced. */
    private final List<NodeId> returning = new ArrayList<>();

    private final boolean divides;
    private int replicas;
    private int joined;
    private boolean over;

    /**
     * Creates the changes of a cluster, none of them begun.
     *
     * @param faults counts the changes too
     * @param agreement knows who leads
     * @param replicas the number of replicas at first
     * @param dividing random numbers of a division; empty if there is none
     * @param reunited runs when the sides of a division are one again
     */
    NodeChanges(
            SplittableRandom random,
            VirtualEnvironment world,
            SimulatedNodes nodes,
            Faults faults,
            Agreement agreement,
            int replicas,
            Optional<SplittableRandom> dividing,
            Runnable reunited) {
        this.replicas = replicas;
        this.divides = dividing.isPresent();
        this.random = random;
        this.world = world;
        this.nodes = nodes;
        this.faults = faults;
        this.operator = new Operator(random.split(), world, nodes.present());
        this.lostMajority = new LostMajority(world, nodes, agreement, operator);
        this.division = new Division(
                dividing.orElseGet(() -> new SplittableRandom(0)), world, nodes, faults, operator, reunited);
        // Not within the store's task that stores the state.
        nodes.states()
                .listen(state -> world.schedule(
                        () -> nodes.removedBy(state).forEach(nodes::retire),
                        Duration.ofMillis(random.nextInt(2000)).toNanos()));
    }

    /** Returns how the cluster is divided. */
    Division division() {
        return division;
    }

    void begin() {
        lostMajority.begin();
        if (divides) {
            division.begin();
        }
        grow();
        later();
    }

    private void later() {
        world.schedule(
                () -> {
                    if (!over) {
                        if (!division.isPrepared()) {
                            change();
                        }
                        later();
                    }
                },
                Duration.ofSeconds(1 + random.nextInt(LONGEST_REST_SECONDS)).toNanos());
    }

    private void change() {
        if (random.nextInt(4) > 0) {
            // Moves are planned at once, instead of a minute after the change.
            world.schedule(
                    this::resume,
                    Duration.ofMillis(random.nextInt(LONGEST_PAUSE_MILLIS)).toNanos());
        }
        switch (random.nextInt(10)) {
            case 0, 1 -> join(1 + random.nextInt(2));
            case 2, 3 -> leave();
            case 4, 5 -> replace();
            case 6 -> stopMoves(random.nextBoolean());
            case 7 -> faults.swapAddresses(anyNode(), anyNode());
            case 8 -> loseMajority();
            default -> slowDown();
        }
    }

    /** Lets some nodes join at once. */
    private void join(int count) {
        for (int i = 0; i < count && nodes.present().size() + operator.open().size() < MOST_NODES; i++) {
            NodeId name = new NodeId("j" + joined++);
            faults.count("join");
            add(name, () -> {
                nodes.join(name, random.split());
                faults.attachAll();
            });
        }
    }

    /** Raises the number of replicas after a while, in one step or in two. */
    private void grow() {
        if (replicas < Setup.REPLICAS) {
            world.schedule(
                    () -> {
                        if (!over) {
                            // One after the other: a late smaller number would take back a greater one.
                            raise(replicas + 1 + random.nextInt(Setup.REPLICAS - replicas), this::grow);
                        }
                    },
                    Duration.ofSeconds(1 + random.nextInt(LATEST_GROWTH_SECONDS))
                            .toNanos());
        }
    }

    private void raise(int wanted, Runnable done) {
        replicas = wanted;
        faults.count("raising of the replication factor");
        operator.change(
                "replicas " + wanted,
                membership -> membership.change(new MembershipChange.ReplicationFactor(wanted)),
                () -> nodes.states().newest().orElseThrow().replicationFactor() >= wanted,
                done);
    }

    /** Admits a node. A refusal is final only if it is admitted: one that was removed since refuses all changes. */
    private void add(NodeId name, Runnable done) {
        operator.change(
                "add " + name,
                membership -> membership.add(name),
                () -> nodes.states()
                        .newest()
                        .flatMap(state -> state.members().named(name))
                        .isPresent(),
                done);
    }

    private SimulatedNode anyNode() {
        List<SimulatedNode> present = nodes.present();
        return present.get(random.nextInt(present.size()));
    }

    private void leave() {
        SimulatedNode node = anyNode();
        boolean isMember = nodes.states()
                .newest()
                .flatMap(state -> SimulatedNodes.member(state, node))
                .filter(member -> member.lifecycle().isPresent())
                .isPresent();
        if (isMember && nodes.present().size() > Setup.REPLICAS && leavesEnough()) {
            NodeId name = node.node.id();
            faults.count("leave");
            operator.change("remove " + name, membership -> membership.remove(name), () -> {});
        }
    }

    /** Returns whether all replicas will have a node, which the cluster itself requires only of those that it has. */
    private boolean leavesEnough() {
        ClusterState state = nodes.states().newest().orElseThrow();
        long staying = state.members().all().stream()
                .filter(member -> member.lifecycle().takesSlots())
                .count();
        return state.replicationFactor() == Setup.REPLICAS
                || staying > Setup.REPLICAS + operator.open().size();
    }

    /**
     * Loses the majority of the voters: the disk of one permanently, while another one is down. The operator declares
     * both as lost; the second one returns as one that knows an earlier generation.
     */
    private void loseMajority() {
        ClusterState state = nodes.states().newest().orElseThrow();
        List<SimulatedNode> voters = state.members().voters().stream()
                .flatMap(voter -> nodes.node(state, voter).stream())
                .filter(node -> node.running().isPresent())
                .toList();
        if (voters.size() != 3
                || !hasAllDisks()
                || nodes.present().stream().anyMatch(node -> node.running().isEmpty())
                || !faults.lose(voters.get(0), voters.get(1))) {
            return;
        }
        faults.count("loss of a majority of voters");
        // The members of the log may differ from the voters of the state, and continue.
        operator.recover(Set.of(voters.get(0).node.id(), voters.get(1).node.id()), lostMajority::leads, () -> {
            faults.comeBack(voters.get(1));
            replace(voters.get(0));
        });
    }

    /** Loses a disk permanently, and with it a node, unless another one is being replaced. */
    private void replace() {
        SimulatedNode node = anyNode();
        if (!hasAllDisks() || !faults.lose(node)) {
            return;
        }
        ClusterState state = nodes.states().newest().orElseThrow();
        List<Integer> voters = state.members().voters();
        boolean isMajority = voters.size() == 1
                && nodes.node(state, voters.get(0)).filter(node::equals).isPresent();
        if (isMajority) {
            operator.recover(Set.of(node.node.id()), lostMajority::leads, () -> replace(node));
        } else {
            replace(node);
        }
    }

    private void replace(SimulatedNode node) {
        NodeId name = node.node.id();
        ClusterState before = nodes.states().newest().orElseThrow();
        int number = SimulatedNodes.member(before, node).orElseThrow().number();
        returning.add(name);
        world.schedule(
                () -> operator.change(
                        "replace " + name,
                        membership -> membership.replace(name),
                        () -> !nodes.states()
                                .newest()
                                .orElseThrow()
                                .members()
                                .get(number)
                                .lifecycle()
                                .isPresent(),
                        () -> {
                            nodes.restart(node, random.split());
                            faults.attachAll();
                            returning.remove(name);
                            admitAgain(node);
                        }),
                SILENCE.toNanos());
    }

    /**
     * Admits a replacement that was too late: the slots of its predecessor have moved to others, and the name was
     * removed.
     */
    private void admitAgain(SimulatedNode node) {
        world.schedule(
                () -> {
                    if (node.startFailure().isPresent()) {
                        add(node.node.id(), () -> {
                            node.crash(false);
                            node.start();
                            faults.attachAll();
                        });
                    } else if (node.running().isEmpty()) {
                        admitAgain(node);
                    }
                },
                POLL.toNanos());
    }

    /** Returns whether the disks of all members are there and complete. */
    private boolean hasAllDisks() {
        return nodes.present().stream()
                        .allMatch(node -> !node.isAway()
                                && SimulatedNodes.member(nodes.states().newest().orElseThrow(), node)
                                        .isPresent())
                && nodes.states()
                        .newest()
                        // With fewer replicas, a disk may be the only one that has an entry.
                        .filter(state -> state.replicationFactor() == Setup.REPLICAS
                                && !state.slots().hasVacant())
                        .filter(state -> state.batches().stream().allMatch(batch -> batch.phase() != Phase.FILL)
                                && state.members().all().stream()
                                        .filter(member -> member.lifecycle() == Lifecycle.DEAD)
                                        .allMatch(member -> state.loads()[member.number()] == 0))
                        .isPresent();
    }

    /** Stops moves for a while, and perhaps undoes running ones. */
    private void stopMoves(boolean undone) {
        faults.count(undone ? "undoing of moves" : "pause of moves");
        MembershipChange stop = undone ? new MembershipChange.CancelMoves() : Rebalance.pause();
        operator.change(
                "pause",
                membership -> membership.change(stop),
                () -> world.schedule(
                        this::resume,
                        Duration.ofMillis(random.nextInt(LONGEST_PAUSE_MILLIS)).toNanos()));
    }

    private void resume() {
        operator.change("resume", NodeChanges::resume, () -> {});
    }

    private static CompletionStage<Long> resume(ClusterMembership membership) {
        return membership.change(Rebalance.resume());
    }

    private void slowDown() {
        faults.count("change of the rate");
        long rate = MembershipChange.MIN_RATE << random.nextInt(10);
        operator.change("rate", membership -> membership.change(Rebalance.rate(rate)), () -> {});
    }

    /**
     * Waits until the cluster is at rest, after the last fault.
     *
     * @throws AssertionError if it does not
     */
    void settle() {
        over = true;
        division.end();
        Duration end = world.elapsed().plus(REST_BOUND);
        resume();
        while (!unrest().isEmpty()) {
            if (operator.open().isEmpty() && isNarrow()) {
                raise(Setup.REPLICAS, () -> {});
            }
            if (world.elapsed().compareTo(end) >= 0) {
                throw new AssertionError("within " + REST_BOUND
                        + " after all was healed, the cluster has not come to rest: " + unrest()
                        + waits());
            }
            world.advance(POLL);
            if (divides && operator.open().isEmpty() && world.elapsed().toSeconds() % SECONDS_OF_PLAN == 0) {
                // Slots were moved without a change after which the cluster would plan.
                resume();
            }
        }
    }

    private boolean isNarrow() {
        return nodes.states().newest().orElseThrow().replicationFactor() < Setup.REPLICAS;
    }

    /** Returns what moves wait for, as reported by any node. */
    private String waits() {
        return nodes.present().stream()
                .flatMap(node -> node.running().stream())
                .findFirst()
                .map(process -> {
                    MembershipStatus status =
                            world.await(process.cluster().membership().status(), Duration.ofSeconds(10));
                    return "; " + status.metadata() + ", " + status.moves() + ", " + status.members();
                })
                .orElse("");
    }

    private String unrest() {
        if (!operator.open().isEmpty()) {
            return "the operator waits for " + operator.open();
        }
        if (division.isPrepared()) {
            return division.waits();
        }
        if (!returning.isEmpty()) {
            return returning + " are to be replaced";
        }
        if (isNarrow()) {
            return "there are too few replicas";
        }
        for (SimulatedNode node : nodes.present()) {
            if (node.running().isEmpty()) {
                return node.node.id() + " does not serve"
                        + node.startFailure().map(why -> ": " + why).orElse("");
            }
        }
        ClusterState state = nodes.states().newest().orElseThrow();
        return state.rebalance().paused() ? "moves are paused" : BalanceCheck.violation(state);
    }
}
