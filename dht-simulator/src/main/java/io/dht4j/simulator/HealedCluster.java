package io.dht4j.simulator;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.simulator.history.Operation;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Brings a simulated cluster whose faults have ended to rest, and checks it. Confined to the simulation's thread. */
final class HealedCluster {

    /** Longer than the interval at which nodes retry failed work. */
    private static final Duration RECOVERY_BOUND = Duration.ofMinutes(2);

    /** Longer than a repair session. */
    private static final Duration REPAIR_BOUND = Duration.ofMinutes(5);

    private static final Duration POLL = Duration.ofMillis(200);

    /** The longest interval at which nodes repeat their questions to each other. */
    private static final Duration QUESTIONS = Duration.ofSeconds(12);

    private final VirtualEnvironment world;
    private final List<SimulatedNode> nodes;
    private final List<Key> keys;
    private final Setup setup;
    private final Workload workload;

    HealedCluster(VirtualEnvironment world, List<SimulatedNode> nodes, List<Key> keys, Setup setup, Workload workload) {
        this.world = world;
        this.nodes = nodes;
        this.keys = keys;
        this.setup = setup;
        this.workload = workload;
    }

    /**
     * Requires that the cluster recovers, that its replicas become equal, and that every key is readable.
     *
     * @throws AssertionError if not
     */
    void check() {
        recover();
        if (setup.onlyNetwork() && nodes.stream().allMatch(node -> status(node).hintBytesDropped() == 0)) {
            // No hint was lost, so the replicas must be equal without reads.
            requireEqualReplicas("by hints alone");
        }
        repairAll();
        requireEqualReplicas("by repair alone");
        settle();
        requireEqualReplicas("after every key was read");
    }

    /** Waits until hints are delivered and lost entries are refilled. */
    private void recover() {
        // By then, nodes that had to wait for others have asked them again whether they lack entries.
        world.advance(QUESTIONS);
        await(
                node -> node.running().isPresent()
                        && node.disk().isWhole()
                        && status(node).refill().partitions() == 0
                        && status(node).hintBytes() == 0,
                // A node may have assigned versions before it learned that its clock was wrong. They are accepted
                // when they are no longer ahead.
                RECOVERY_BOUND.plus(setup.farthestClock()),
                node -> node.running().isEmpty()
                        ? "does not start: " + node.startFailure().orElse("it waits")
                        : "has neither got back what it lost nor handed over what others missed: "
                                + status(node).refill() + ", hints of "
                                + status(node).hintBytes() + " bytes");
    }

    /**
     * Repairs all partitions of each node, and checks that the sessions succeed. A session that detects a rollback at
     * another node fails, and that node repairs itself. So the session is repeated once no node has a repair of its own
     * to do; each repetition has one rollback less to detect.
     */
    private void repairAll() {
        for (SimulatedNode node : nodes) {
            Optional<String> error = repair(node);
            for (int times = 1; error.filter(HealedCluster::isRollback).isPresent() && times < nodes.size(); times++) {
                await(
                        one -> status(one).refill().partitions() == 0,
                        REPAIR_BOUND,
                        one -> "does not repair itself: " + status(one).refill());
                error = repair(node);
            }
            error.ifPresent(text -> {
                throw new AssertionError("when all was healed, a repair at " + node.node.id() + " failed: " + text);
            });
        }
    }

    private static boolean isRollback(String error) {
        return error.endsWith("by itself first");
    }

    /** Repairs all partitions of a node, and returns why that failed, or empty. */
    private Optional<String> repair(SimulatedNode node) {
        Cluster cluster = cluster(node);
        RepairStatus before = repairStatus(cluster);
        cluster.operations().repair(Set.of());
        // A running session does not count: it may have begun before the faults ended.
        long wanted = before.rounds() + (before.running() ? 2 : 1);
        await(
                one -> one != node || repairStatus(cluster).rounds() >= wanted,
                REPAIR_BOUND,
                each -> "does not end its repair");
        return repairStatus(cluster).lastError();
    }

    /** Advances time until a condition holds at all nodes. */
    private void await(Predicate<SimulatedNode> condition, Duration bound, Function<SimulatedNode, String> complaint) {
        Duration end = world.elapsed().plus(bound);
        for (SimulatedNode node : nodes) {
            while (!condition.test(node)) {
                if (world.elapsed().compareTo(end) >= 0) {
                    throw new AssertionError("within " + bound + " after all was healed, " + node.node.id() + " "
                            + complaint.apply(node));
                }
                world.advance(POLL);
            }
        }
    }

    private static Cluster cluster(SimulatedNode node) {
        return node.running().orElseThrow().cluster();
    }

    private NodeStatus status(SimulatedNode node) {
        return world.await(cluster(node).operations().status(), Simulator.TIMEOUT);
    }

    private static RepairStatus repairStatus(Cluster cluster) {
        return cluster.operations().repairStatus().toCompletableFuture().join();
    }

    /**
     * Checks after the faults that every key is readable at every node, and that its replicas are equal after reads of
     * all of them.
     */
    private void settle() {
        CallOptions quorum = setup.ofCalls();
        CallOptions all = CallOptions.defaults().withPolicy(Setup.REPLICAS, Setup.REPLICAS);
        int before = workload.history().all().size();
        for (SimulatedNode node : nodes) {
            workload.readAll(node, quorum);
            world.advance(Simulator.TIMEOUT);
        }
        workload.readAll(nodes.get(0), all);
        world.advance(Simulator.TIMEOUT);
        List<Operation> reads = workload.history().all();
        for (Operation read : reads.subList(before, reads.size())) {
            if (read.outcome() != Operation.Outcome.DONE) {
                throw new AssertionError("when all was healed: " + read);
            }
        }
    }

    private void requireEqualReplicas(String when) {
        keys.forEach(key -> requireEqualReplicas(key, when));
    }

    private void requireEqualReplicas(Key key, String when) {
        List<NodeId> replicas = nodes
                .get(0)
                .running()
                .orElseThrow()
                .cluster()
                .locate(key)
                .toCompletableFuture()
                .join()
                .replicas()
                .subList(0, Setup.REPLICAS)
                .stream()
                .map(Node::id)
                .toList();
        Map<NodeId, Optional<Entry>> held = new TreeMap<>(Comparator.comparing(NodeId::value));
        for (SimulatedNode node : nodes) {
            // Dead entries may have been purged by some replicas only.
            Optional<Entry> entry = node.running()
                    .orElseThrow()
                    .store()
                    .get(key)
                    .filter(each -> each.isLive(world.currentTimeMillis()));
            if (replicas.contains(node.node.id())) {
                held.put(node.node.id(), entry);
            } else if (entry.isPresent()) {
                throw new AssertionError(node.node.id() + " is no replica of " + key + " and holds " + entry.get());
            }
        }
        if (held.values().stream().distinct().count() > 1) {
            throw new AssertionError(when + ", when all was healed, the replicas of " + key + " hold " + held);
        }
    }
}
