package io.dht4j.core.internal.coordinator.node;

import io.dht4j.ErrorCode;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.observation.HotKeyCounter;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.replica.EntryWriter;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.replica.RowGuard;
import io.dht4j.core.internal.replica.promise.Promises;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.view.IncomingReplicas;
import io.dht4j.spi.Environment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the parts of a node that need no other node: its store, and what reads and writes it. Safe for use by any
 * number of threads.
 */
final class LocalServices {

    private static final Logger LOG = LoggerFactory.getLogger(LocalServices.class);

    final NodeComponents components;

    final HybridClock clock;
    /** The versions of writes. */
    final VersionSource versions;

    final Snapshots snapshots;
    final PurgeWatermarks watermarks;
    /** The partitions that this node takes over. */
    final IncomingReplicas incoming;

    final PartitionReadBarrier readBarrier = new PartitionReadBarrier();
    /** This node's replicas, as repair sees them. */
    final LocalReplica repaired;

    /** What this node has promised to the proposers of registers. */
    final Promises promises;

    final Replica replica;
    final HotKeyCounter hotKeys;

    private final Environment environment;

    LocalServices(NodeComponents components, NodeConfig config, HybridClock clock) {
        this.components = components;
        this.clock = clock;
        this.environment = components.environment();
        this.snapshots = new Snapshots(
                components.store(),
                environment,
                clock,
                components.views(),
                config.limits().snapshotBytes());
        this.versions = new VersionSource(
                clock, environment, components.isNode() ? Optional.of(components.store()) : Optional.empty());
        this.incoming = new IncomingReplicas(components.views());
        this.watermarks = new PurgeWatermarks(components.store(), components.views(), incoming::isIncomplete);
        RowGuard rows = new RowGuard(components.views(), incoming);
        this.promises = new Promises(
                components.view().partitions(),
                config.limits().memory().promiseBytes(),
                components.store(),
                environment);
        EntryWriter writer = new EntryWriter(
                components.store(), snapshots, watermarks, rows, readBarrier, clock::isTooFarAhead, promises);
        this.repaired = repaired(config, writer);
        this.hotKeys = new HotKeyCounter(components.self(), config.observation().sketches(), environment);
        this.replica = new Replica(
                components.store(),
                writer,
                repaired,
                environment,
                clock,
                snapshots,
                rows,
                config.limits(),
                config.overload().queue(),
                readBarrier,
                hotKeys,
                watermarks,
                promises);
    }

    private LocalReplica repaired(NodeConfig config, EntryWriter writer) {
        return new LocalReplica(
                components.store(),
                watermarks,
                new RollbackDetector(
                        watermarks,
                        readBarrier,
                        clock::isTooFarAhead,
                        () -> snapshots.endAll(
                                "this node lacks what it should show: its disk was rolled back, or a recovery has set "
                                        + "aside what it had agreed on")),
                components.view().partitions(),
                components::partitionOf,
                writer::purge,
                writer::drop,
                environment::currentTimeMillis,
                config.repair().purgeAfter());
    }

    /** Sets the clock after the newest version in the store. */
    void resumeClock() {
        Version newest = components.store().newestAtOpen();
        // A version that is too far ahead comes from a wrong clock: the others would refuse versions above it.
        if (!clock.observe(newest)) {
            LOG.warn(
                    "the store's newest entry is {} ms ahead of this node's clock, so that either is wrong: "
                            + "check the clock."
                            + " Keys with such entries cannot be written before that time",
                    newest.millis() - environment.currentTimeMillis());
        }
    }

    /**
     * Adopts what other replicas have promised about registers. See {@link Promises#adopt}.
     *
     * @return fails also if only a wrong clock can have issued one of the ballots
     */
    CompletableFuture<Void> adopt(Map<Integer, Version> promised) {
        return promised.values().stream()
                .filter(clock::isTooFarAhead)
                .findFirst()
                .map(wrong -> CompletableFuture.<Void>failedFuture(new RepairException(
                        ErrorCode.VERSION_TOO_FAR_AHEAD,
                        "another replica has promised ballot " + wrong + ", which is more than " + clock.maxSkewMillis()
                                + " ms ahead of this node's clock")))
                .orElseGet(() -> promises.adopt(promised));
    }

    /** Reads what the store has besides entries. Blocks. */
    void load() {
        if (!components.view().hasRowVersions()) {
            // The store of a node of an agreed cluster is bound to the node's identity.
            components.store().bind(components.binding());
        }
        versions.load();
        watermarks.load();
        if (components.isNode()) {
            promises.resume();
        }
    }
}
