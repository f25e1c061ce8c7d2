package io.dht4j.simulator;

import io.dht4j.ClusterMembership;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipChange.Rebalance;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Phase;
import io.dht4j.simulator.internal.membership.BalanceCheck;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/**
 * The changes of a simulated cluster: nodes join, leave and are replaced; moves are stopped, undone and slowed down.
 * Confined to the simulation's thread.
 */
final class NodeChanges {

    private static final int MOST_NODES = 7;
    private static final int LONGEST_REST_SECONDS = 90;
    private static final int LONGEST_PAUSE_MILLIS = 20_000;
    /** An operator may replace a node that has been silent for 30 seconds. */
    private static final Duration SILENCE = Duration.ofSeconds(31);
    /** Longer than a minute for each plan, and the steps of all batches. */
    private static final Duration REST_BOUND = Duration.ofMinutes(30);

    private static final Duration POLL = Duration.ofSeconds(1);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final SimulatedNodes nodes;
    private final Faults faults;
    private final Operator operator;
    private int joined;
    private boolean over;

    /**
     * Creates the changes of a cluster, none of them begun.
     *
     * @param faults counts the changes too
     */
    NodeChanges(SplittableRandom random, VirtualEnvironment world, SimulatedNodes nodes, Faults faults) {
        this.random = random;
        this.world = world;
        this.nodes = nodes;
        this.faults = faults;
        this.operator = new Operator(random.split(), world, nodes.present());
        // Not within the store's task that stores the state.
        nodes.states()
                .listen(state -> world.schedule(
                        () -> nodes.removedBy(state).forEach(nodes::retire),
                        Duration.ofMillis(random.nextInt(2000)).toNanos()));
    }

    void begin() {
        world.schedule(
                () -> {
                    if (!over) {
                        change();
                        begin();
                    }
                },
                Duration.ofSeconds(1 + random.nextInt(LONGEST_REST_SECONDS)).toNanos());
    }

    private void change() {
        switch (random.nextInt(9)) {
            case 0, 1 -> join(1 + random.nextInt(2));
            case 2, 3 -> leave();
            case 4, 5 -> replace();
            case 6 -> stopMoves(random.nextBoolean());
            case 7 -> faults.swapAddresses(anyNode(), anyNode());
            default -> slowDown();
        }
    }

    /** Lets some nodes join at once. */
    private void join(int count) {
        for (int i = 0; i < count && nodes.present().size() + operator.open().size() < MOST_NODES; i++) {
            NodeId name = new NodeId("j" + joined++);
            faults.count("join");
            operator.change("add " + name, membership -> membership.add(name), () -> {
                nodes.join(name, random.split());
                faults.attachAll();
            });
        }
    }

    private SimulatedNode anyNode() {
        List<SimulatedNode> present = nodes.present();
        return present.get(random.nextInt(present.size()));
    }

    private void leave() {
        if (nodes.present().size() > Setup.REPLICAS) {
            NodeId name = anyNode().node.id();
            faults.count("leave");
            operator.change("remove " + name, membership -> membership.remove(name), () -> {});
        }
    }

    /** Loses a disk for ever, and with it a node, unless another one is being replaced. */
    private void replace() {
        SimulatedNode node = anyNode();
        if (!hasAllDisks() || !faults.lose(node)) {
            return;
        }
        NodeId name = node.node.id();
        ClusterState before = nodes.states().newest().orElseThrow();
        int number = SimulatedNodes.member(before, node).orElseThrow().number();
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
                        }),
                SILENCE.toNanos());
    }

    /** Returns whether the disks of all members are there and complete. */
    private boolean hasAllDisks() {
        return nodes.present().stream()
                        .allMatch(node -> !node.isAway()
                                && SimulatedNodes.member(nodes.states().newest().orElseThrow(), node)
                                        .isPresent())
                && nodes.states()
                        .newest()
                        .filter(state -> state.batches().stream().allMatch(batch -> batch.phase() != Phase.FILL)
                                && state.members().all().stream()
                                        .filter(member -> member.lifecycle() == Lifecycle.DEAD)
                                        .allMatch(member -> state.loads()[member.number()] == 0))
                        .isPresent();
    }

    /** Stops moves for a while, and perhaps undoes those under way. */
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
     * Lets the cluster come to rest when nothing fails any more.
     *
     * @throws AssertionError if it does not
     */
    void settle() {
        over = true;
        Duration end = world.elapsed().plus(REST_BOUND);
        resume();
        while (!unrest().isEmpty()) {
            if (world.elapsed().compareTo(end) >= 0) {
                throw new AssertionError("within " + REST_BOUND
                        + " after all was healed, the cluster has not come to rest: " + unrest());
            }
            world.advance(POLL);
        }
    }

    private String unrest() {
        if (!operator.open().isEmpty()) {
            return "the operator waits for " + operator.open();
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
