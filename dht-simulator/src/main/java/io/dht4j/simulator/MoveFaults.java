package io.dht4j.simulator;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.internal.node.Agreement;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Hurts those who take part in a move, in each of its phases: the driver, the source, the target, all nodes at once, a
 * source together with a coordinator that both know an old state only, or a coordinator whose full disk keeps it at an
 * old state. Confined to the simulation's thread.
 */
final class MoveFaults {

    private static final int PHASES_PER_FAULT = 3;
    /** One in this number of copies begins while the disk of a coordinator is full. */
    private static final int COPIES_PER_FULL_DISK = 3;

    private static final long LONGEST_DELAY = TimeUnit.SECONDS.toNanos(4);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final SimulatedNodes nodes;
    private final Faults faults;
    private final Agreement agreement;
    /** The batches whose copy has begun. */
    private final Set<Long> copying = new HashSet<>();

    MoveFaults(
            SplittableRandom random,
            VirtualEnvironment world,
            SimulatedNodes nodes,
            Faults faults,
            Agreement agreement) {
        this.random = random;
        this.world = world;
        this.nodes = nodes;
        this.faults = faults;
        this.agreement = agreement;
    }

    void begin() {
        nodes.states().listen(this::changed);
    }

    private void changed(ClusterState state) {
        List<Batch> batches = state.batches();
        batches.stream()
                .filter(batch -> batch.phase() == Phase.COPY && copying.add(batch.id()))
                .toList()
                .forEach(batch -> keepACoordinatorBehind(state, batch));
        if (batches.isEmpty() || random.nextInt(PHASES_PER_FAULT) > 0) {
            return;
        }
        Batch batch = batches.get(random.nextInt(batches.size()));
        // Often at once, so that the phase is still the same.
        long delay = random.nextBoolean() ? random.nextLong(LONGEST_DELAY) : 0;
        world.schedule(() -> strike(state, batch), delay);
    }

    /** Fills the disk of a node that takes no part, before it stores the state with which the copy begins. */
    private void keepACoordinatorBehind(ClusterState state, Batch batch) {
        List<SimulatedNode> others = nodes.present().stream()
                .filter(node -> SimulatedNodes.member(state, node)
                        .filter(member -> member.number() != batch.from() && member.number() != batch.to())
                        .isPresent())
                .toList();
        if (!others.isEmpty()
                && random.nextInt(COPIES_PER_FULL_DISK) == 0
                && faults.fill(others.get(random.nextInt(others.size())))) {
            faults.count("disk full at a coordinator in copy");
        }
    }

    private void strike(ClusterState state, Batch batch) {
        String phase = batch.phase().name().toLowerCase(Locale.ROOT);
        switch (random.nextInt(8)) {
            case 0, 1 -> strike("driver", phase, agreement.leader().flatMap(nodes::named));
            case 2, 3 -> strike("source", phase, nodes.node(state, batch.from()));
            case 4, 5 -> strike("target", phase, nodes.node(state, batch.to()));
            case 6 -> faults.stopAll();
            default -> nodes.node(state, batch.from()).ifPresent(this::cutOffWithCoordinator);
        }
    }

    private void strike(String role, String phase, Optional<SimulatedNode> node) {
        node.flatMap(faults::strike).ifPresent(what -> faults.count(role + " " + what + " in " + phase));
    }

    private void cutOffWithCoordinator(SimulatedNode source) {
        List<SimulatedNode> others =
                nodes.present().stream().filter(node -> node != source).toList();
        if (!others.isEmpty() && faults.cutOff(List.of(source, others.get(random.nextInt(others.size()))))) {
            faults.count("source cut off with a coordinator");
        }
    }
}
