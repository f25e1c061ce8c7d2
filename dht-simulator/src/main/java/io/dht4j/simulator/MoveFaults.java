package io.dht4j.simulator;

import io.dht4j.core.internal.membership.state.Batch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.simulator.internal.node.Agreement;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.simulator.internal.node.SimulatedNodes;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Hurts those who take part in a move, in each of its phases: the driver, the source, the target, all nodes at once, or
 * a source together with a coordinator that both know an old state only. Confined to the simulation's thread.
 */
final class MoveFaults {

    private static final int PHASES_PER_FAULT = 3;
    private static final long LONGEST_DELAY = TimeUnit.SECONDS.toNanos(4);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final SimulatedNodes nodes;
    private final Faults faults;
    private final Agreement agreement;

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
        if (batches.isEmpty() || random.nextInt(PHASES_PER_FAULT) > 0) {
            return;
        }
        Batch batch = batches.get(random.nextInt(batches.size()));
        // Often at once, so that the phase is still the same.
        long delay = random.nextBoolean() ? random.nextLong(LONGEST_DELAY) : 0;
        world.schedule(() -> strike(state, batch), delay);
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
