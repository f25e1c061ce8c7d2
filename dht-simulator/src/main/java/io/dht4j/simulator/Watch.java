package io.dht4j.simulator;

import io.dht4j.DhtException;
import io.dht4j.NodeStatus;
import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Samples the state of each node: entries, hints, tasks and timers. It may grow with the number of keys and running
 * calls, not with the number of past calls. Confined to the simulation's thread.
 */
final class Watch {

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    /** The tasks of running calls and messages, with their deadlines. */
    private static final int MOST_PENDING = 600;
    /** Periodic tasks, and timers of state kept for a while. */
    private static final int MOST_PENDING_AT_REST = 24;

    /** In addition, those of an agreed cluster: heartbeats and their deadlines. */
    private static final int MOST_HEARTBEATS = 40;

    /** Three keys for two nodes, with the overhead of a log. */
    private static final long MOST_HINT_BYTES_PER_CALL = 3 * 2 * 256L;

    private final VirtualEnvironment world;
    private final List<SimulatedNode> nodes;
    private final int keys;
    private final long hintBytes;
    private final int heartbeats;
    private final List<String> violations = new ArrayList<>();
    private boolean over;

    /**
     * Creates a watch that has not begun.
     *
     * @param options the calls of the clients
     */
    Watch(VirtualEnvironment world, List<SimulatedNode> nodes, SimulationOptions options) {
        this.world = world;
        this.nodes = nodes;
        this.keys =
                options.keys() + (options.membership() == Mode.ATOMIC ? CounterClient.COUNTERS + LockClient.LOCKS : 0);
        this.heartbeats = options.membership() == Mode.STATIC ? 0 : MOST_HEARTBEATS;
        this.hintBytes = MOST_HINT_BYTES_PER_CALL * options.operations();
    }

    void begin() {
        world.schedule(
                () -> {
                    if (!over) {
                        nodes.forEach(this::look);
                        begin();
                    }
                },
                INTERVAL.toNanos());
    }

    /** Messages to a paused node wait for it, more with a longer pause: it is checked afterwards. */
    private void look(SimulatedNode node) {
        if (!node.wasRunningSince(world.elapsed())) {
            return;
        }
        node.running().ifPresent(process -> {
            requirePending(node, process, MOST_PENDING + heartbeats);
            process.environment()
                    .executor()
                    .execute(() -> process.cluster().operations().status().whenComplete((status, error) -> {
                        if (error == null) {
                            require(status);
                        } else if (!(DhtException.unwrap(error) instanceof DhtException)) {
                            violations.add(node.node.id() + " cannot report its status: " + error);
                        }
                    }));
        });
    }

    private void require(NodeStatus status) {
        if (status.entries() > keys) {
            violations.add(status.id() + " has " + status.entries() + " entries of " + keys + " keys");
        }
        if (status.hintBytes() < 0 || status.hintBytes() > hintBytes) {
            violations.add(status.id() + " keeps hints of " + status.hintBytes() + " bytes, more than " + hintBytes);
        }
    }

    private void requirePending(SimulatedNode node, SimulatedNode.Running process, int most) {
        int pending = process.environment().pendingTasks();
        if (pending > most) {
            violations.add(node.node.id() + " has " + pending + " tasks and timers pending, more than " + most);
        }
    }

    /** Ends the watch. After a time without calls, no state of earlier calls may remain. */
    void end() {
        over = true;
        nodes.forEach(node ->
                node.running().ifPresent(process -> requirePending(node, process, MOST_PENDING_AT_REST + heartbeats)));
    }

    /** Returns the violations. */
    List<String> violations() {
        return violations;
    }
}
