package io.dht4j.simulator;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.Snapshot;
import io.dht4j.Value;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.simulator.history.History;
import io.dht4j.simulator.history.Operation;
import io.dht4j.simulator.history.SnapshotCheck;
import io.dht4j.simulator.history.SupersededCheck;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A client that takes snapshots during the faults. It opens each through one node, reads it several times through any
 * node during writes, and closes it. The reads are checked at the end, when the acknowledged writes are known. Confined
 * to the simulation's thread.
 */
final class SnapshotClient {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int READS = 3;
    private static final int LONGEST_REST_MILLIS = 6000;
    private static final int SHORTEST_REST_MILLIS = 20;
    private static final Set<ErrorCode> EXPECTED = Set.of(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            ErrorCode.NOT_SERVING,
            ErrorCode.OVERLOADED,
            ErrorCode.SNAPSHOT_GONE,
            ErrorCode.CLOCK_CONTRADICTED,
            ErrorCode.VERSION_TOO_FAR_AHEAD);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final List<SimulatedNode> nodes;
    private final List<Key> keys;
    private final CallOptions quorum;
    private final Workload workload;
    private final History history;
    private final List<Reading> readings = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    /** The complete content of a snapshot. */
    record Reading(SnapshotCheck.Snapshot snapshot, Map<Key, Operation> reads, Map<Key, Value> shown) {}

    SnapshotClient(
            SplittableRandom random,
            VirtualEnvironment world,
            List<SimulatedNode> nodes,
            List<Key> keys,
            CallOptions quorum,
            Workload workload) {
        this.random = random;
        this.world = world;
        this.nodes = nodes;
        this.keys = keys;
        this.quorum = quorum;
        this.workload = workload;
        this.history = workload.history();
    }

    /** Opens a snapshot. */
    void begin() {
        atOne((node, process) -> {
            int begun = history.next();
            watch(node, process.cluster().openSnapshot(LEASE, quorum).thenApply(Snapshot::version), version -> {
                // The snapshot has waited for the writes that its node coordinated.
                SnapshotCheck.Snapshot snapshot =
                        new SnapshotCheck.Snapshot(version, begun, write -> workload.wasWrittenBy(write, process));
                restAndRead(snapshot, READS);
            });
        });
    }

    private void restAndRead(SnapshotCheck.Snapshot open, int reads) {
        later(() -> atOne((node, process) -> {
            if (reads > 0) {
                read(open, node, process);
                restAndRead(open, reads - 1);
            } else {
                watch(node, process.cluster().snapshot(open.version()).close(quorum), closed -> {});
            }
        }));
    }

    private void read(SnapshotCheck.Snapshot open, SimulatedNode node, SimulatedNode.Running process) {
        int begun = history.next();
        long clock = process.environment().currentTimeMillis();
        Map<Key, Operation> reads = new LinkedHashMap<>();
        keys.forEach(key -> reads.put(
                key, Operation.read(Operation.Kind.SNAPSHOT, key, node.node.id().value(), begun, clock)));
        Reading reading = new Reading(open, reads, new LinkedHashMap<>());
        Scan scan = process.cluster().snapshot(open.version()).scan(KeyRange.all(), quorum);
        nextPage(reading, scan, node, process);
    }

    private void nextPage(Reading reading, Scan scan, SimulatedNode node, SimulatedNode.Running process) {
        watch(node, scan.next(), page -> {
            if (!page.isEmpty()) {
                page.stream()
                        .filter(entry -> !AtomicSpace.contains(entry.key()))
                        .forEach(entry -> reading.shown().put(entry.key(), entry.value()));
                nextPage(reading, scan, node, process);
                return;
            }
            int moment = history.next();
            long clock = process.environment().currentTimeMillis();
            reading.reads().values().forEach(read -> read.end(moment, clock, Operation.Outcome.DONE));
            readings.add(reading);
        });
    }

    private <T> void watch(SimulatedNode node, CompletionStage<T> stage, Consumer<T> result) {
        Duration began = world.elapsed();
        stage.whenComplete((value, error) -> {
            Duration took = world.elapsed().minus(began);
            if (took.compareTo(Simulator.TIMEOUT) > 0 && node.wasRunningSince(began)) {
                violations.add("a snapshot's call took " + took + ", longer than " + Simulator.TIMEOUT);
            }
            if (error == null) {
                try {
                    result.accept(value);
                } catch (RuntimeException e) {
                    // A stage hides the exceptions of its callbacks.
                    violations.add("the check of a snapshot failed: " + e);
                }
            } else if (!(DhtException.unwrap(error) instanceof DhtException known && EXPECTED.contains(known.code()))) {
                violations.add("a snapshot's call at " + node.node.id() + " ended with " + error);
            }
        });
    }

    /** Runs a step in a random node's process, if it is running. */
    private void atOne(Step step) {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        node.running().ifPresent(process -> process.environment().executor().execute(() -> step.in(node, process)));
    }

    /** A step of the client. */
    @FunctionalInterface
    private interface Step {
        void in(SimulatedNode node, SimulatedNode.Running process);
    }

    private void later(Runnable step) {
        // Mostly immediately, while there are running writes that the snapshot must wait for.
        int millis = random.nextInt(random.nextBoolean() ? SHORTEST_REST_MILLIS : LONGEST_REST_MILLIS);
        world.schedule(step, Duration.ofMillis(millis).toNanos());
    }

    /** Returns all complete readings. */
    List<Reading> readings() {
        return readings;
    }

    /** Returns the violations of all readings. */
    List<String> violations(SupersededCheck hiding) {
        SnapshotCheck check = new SnapshotCheck(history, hiding);
        return Stream.concat(
                        violations.stream(),
                        readings.stream()
                                .flatMap(reading -> Stream.concat(
                                        check.violation(reading.snapshot()).stream(),
                                        reading.reads().values().stream()
                                                .flatMap(read -> check
                                                        .violation(
                                                                reading.snapshot(),
                                                                read,
                                                                Optional.ofNullable(reading.shown()
                                                                        .get(read.key())))
                                                        .stream()))))
                .toList();
    }
}
