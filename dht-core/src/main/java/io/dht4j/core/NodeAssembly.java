package io.dht4j.core;

import io.dht4j.Cluster;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.core.internal.coordinator.config.BatchLimits;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.handoff.HandoffLimits;
import io.dht4j.core.internal.handoff.MemoryHintLog;
import io.dht4j.core.internal.refill.RefillLimits;
import io.dht4j.core.internal.repair.RepairLimits;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.Set;

/** Creates and starts a node with a builder's settings, and closes its parts if the start fails. */
final class NodeAssembly {

    private static final long REFILL_BYTES_PER_SECOND = 16L << 20;

    /** The clocks of purging nodes and of reading nodes may each be off in both directions. */
    private static final int CLOCK_MARGIN = 4;

    private final ClusterBuilder given;
    private final MemoryBudget memory;
    private final Transport transport;
    private final Store store;
    private final HintLog hints;
    private final Environment environment;
    private final boolean ownsEnvironment;

    NodeAssembly(ClusterBuilder given, Transport transport, Store store) {
        this.given = given;
        this.transport = transport;
        this.store = store;
        this.memory = given.memory.withMaxValueBytes(given.maxValueBytes);
        this.hints = given.hints == null ? new MemoryHintLog(memory.hintBytes()) : given.hints;
        this.ownsEnvironment = given.environment == null;
        this.environment =
                given.environment == null ? SystemEnvironment.create("dht4j-" + given.self) : given.environment;
    }

    Cluster start() {
        try {
            memory.requireRoom();
            NodeCluster cluster = new NodeCluster(parts(), limits(), clock(), ownsEnvironment);
            cluster.start();
            return cluster;
        } catch (RuntimeException | Error e) {
            release(transport, e);
            release(store, e);
            release(hints, e);
            if (ownsEnvironment) {
                release(environment, e);
            }
            throw e;
        }
    }

    private NodeComponents parts() {
        return new NodeComponents(
                given.self,
                given.topology,
                transport,
                store,
                hints,
                given.refill,
                given.detector,
                environment,
                given.hash,
                given.placement.name(),
                given.placement.assign(given.topology, given.partitions),
                Set.copyOf(given.trusted));
    }

    private NodeConfig limits() {
        return new NodeConfig(
                given.replicationFactor,
                given.ordering,
                given.readFanOut,
                given.hedging,
                given.timeout,
                given.maxValueBytes,
                given.inlineValueBytes,
                given.maxInFlight,
                writeBytes(),
                memory.readBytes(),
                memory.storeReads(),
                memory.maintenanceReads(),
                given.maxBatch,
                given.drainTimeout,
                given.startPatience,
                batchLimits(given.batching),
                given.cancellation,
                given.snapshotBytes.orElse(memory.snapshotBytes()),
                handoffLimits(given.handoff),
                repairLimits(given.repair),
                given.overload.limits(),
                new RefillLimits(given.replicationFactor, given.refillWithout, REFILL_BYTES_PER_SECOND));
    }

    private long writeBytes() {
        return given.maxInFlightBytes.orElse(memory.writeBytes());
    }

    private static BatchLimits batchLimits(Batching batching) {
        return new BatchLimits(batching.enabled(), batching.maxEntries(), batching.maxBytes(), batching.maxFrames());
    }

    private HandoffLimits handoffLimits(HintedHandoff handoff) {
        return new HandoffLimits(
                handoff.enabled(), handoff.maxAge(), handoff.bytesPerSecond(), given.maxInFlight, writeBytes());
    }

    private RepairLimits repairLimits(Repair repair) {
        // An entry may be purged only when it is dead by every clock.
        Duration least = given.maxClockSkew.multipliedBy(CLOCK_MARGIN);
        Duration purgeAfter = repair.purgeAfter().compareTo(least) < 0 ? least : repair.purgeAfter();
        return new RepairLimits(
                repair.enabled(),
                repair.interval(),
                repair.bytesPerSecond(),
                repair.confirmDelay(),
                purgeAfter,
                given.startPatience);
    }

    private HybridClock clock() {
        VersionSlots slots = new VersionSlots(given.topology);
        return new HybridClock(
                environment::currentTimeMillis,
                environment::nanoTime,
                given.maxClockSkew.toMillis(),
                slots.of(given.self),
                slots.count());
    }

    private static void release(AutoCloseable part, Throwable failure) {
        try {
            part.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }
}
