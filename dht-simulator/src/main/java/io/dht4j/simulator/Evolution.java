package io.dht4j.simulator;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.simulator.internal.node.Agreement;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** The changes and checks of a simulated cluster whose nodes change. Confined to the simulation's thread. */
final class Evolution {

    private static final Duration EPOCHS = Duration.ofMillis(500);

    private final VirtualEnvironment world;
    private final SimulatedNodes nodes;
    private final Workload workload;
    private final Setup setup;
    private final NodeChanges changes;
    private final MoveFaults moveFaults;
    private final SlotInvariants slots;
    private final Map<Key, Integer> partitions = new HashMap<>();

    Evolution(
            SplittableRandom random,
            VirtualEnvironment world,
            SimulatedNodes nodes,
            Faults faults,
            Agreement agreement,
            Workload workload,
            Setup setup,
            Optional<SplittableRandom> dividing) {
        this.world = world;
        this.nodes = nodes;
        this.workload = workload;
        this.setup = setup;
        SlotInvariants invariants = new SlotInvariants(nodes, partitions::get);
        this.slots = invariants;
        this.changes = new NodeChanges(
                random.split(),
                world,
                nodes,
                faults,
                agreement,
                setup.replicas(),
                dividing,
                () -> nodes.states().newest().ifPresent(invariants::check));
        this.moveFaults = new MoveFaults(random.split(), world, nodes, faults, agreement);
    }

    /** Begins the changes when the cluster is formed. */
    void begin(List<Key> keys) {
        Cluster any = nodes.present().get(0).running().orElseThrow().cluster();
        keys.forEach(key ->
                partitions.put(key, any.locate(key).toCompletableFuture().join().partition()));
        if (setup.calm()) {
            workload.requireSuccess();
        }
        workload.listen(slots::acknowledged);
        workload.setAside(changes.division()::isSetAside);
        slots.exceptWhile(changes.division()::isActive);
        nodes.states().listen(slots::check);
        moveFaults.begin();
        changes.begin();
        lookAtEpochs();
    }

    /** Periodically checks the installed state of each node. */
    private void lookAtEpochs() {
        for (SimulatedNode node : nodes.present()) {
            node.running()
                    .flatMap(process -> ((NodeCluster) process.cluster()).agreed())
                    .flatMap(AgreedMembership::state)
                    .ifPresent(state -> nodes.states().installed(node.disk().toString(), state.epoch()));
        }
        world.schedule(this::lookAtEpochs, EPOCHS.toNanos());
    }

    /** Returns whether clients call a node: one that leaves has none that must succeed. */
    boolean mayCall(SimulatedNode node) {
        return !setup.calm()
                || nodes.states()
                        .newest()
                        .flatMap(state -> SimulatedNodes.member(state, node))
                        .filter(member ->
                                member.lifecycle() != Lifecycle.LEAVING && member.lifecycle() != Lifecycle.REMOVED)
                        .isPresent();
    }

    /** Returns whether a recovery may discard the present acknowledgements and results of a node. */
    boolean isSetAside(SimulatedNode node) {
        return changes.division().isSetAside(node);
    }

    /** Returns whether two sides of the cluster are not one. */
    boolean isDivided() {
        return changes.division().isActive();
    }

    /** Waits until the cluster is at rest, after the last fault. */
    void settle() {
        changes.settle();
    }

    void checkOwners() {
        slots.checkOwners();
    }

    /** Returns the violations of slots. */
    List<String> violations() {
        return slots.violations();
    }
}
