package io.dht4j.core;

import io.dht4j.Cluster;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.handoff.MemoryHintLog;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.util.Set;

/** Creates and starts a node with a builder's settings, and closes its parts if the start fails. */
final class NodeAssembly {

    private final ClusterBuilder given;
    private final NodeConfig config;
    // Read by AgreedAssembly.
    final Transport transport;
    final Store store;
    final HintLog hints;
    final Environment environment;
    final boolean ownsEnvironment;

    NodeAssembly(ClusterBuilder given, Transport transport, Store store) {
        this.given = given;
        this.transport = transport;
        this.store = store;
        this.config = given.config();
        this.hints =
                given.hints == null ? new MemoryHintLog(config.limits().memory().hintBytes()) : given.hints;
        this.ownsEnvironment = given.environment == null;
        this.environment =
                given.environment == null ? SystemEnvironment.create("dht4j-" + given.self) : given.environment;
    }

    Cluster start() {
        try {
            config.limits().memory().requireRoom();
            NodeNotes.requireStatic(store, given.self);
            NodeCluster cluster = new NodeCluster(components(), config, clock(), ownsEnvironment);
            cluster.start();
            return cluster;
        } catch (RuntimeException | Error e) {
            release(e);
            throw e;
        }
    }

    /** Closes all parts. */
    void release() {
        IllegalStateException failures = new IllegalStateException("the parts of the node do not close");
        release(failures);
        if (failures.getSuppressed().length > 0) {
            throw failures;
        }
    }

    private void release(Throwable failure) {
        release(transport, failure);
        release(store, failure);
        release(hints, failure);
        if (ownsEnvironment) {
            release(environment, failure);
        }
    }

    private NodeComponents components() {
        return new NodeComponents(
                given.self,
                transport,
                store,
                hints,
                given.refill,
                given.detector,
                environment,
                given.hash,
                given.placement.name(),
                new Views(ClusterView.fixed(
                        given.self,
                        given.topology,
                        given.hash,
                        given.placement.assign(given.topology, given.partitions),
                        given.replicationFactor)),
                Set.copyOf(given.trusted));
    }

    private HybridClock clock() {
        VersionSlots slots = new VersionSlots(given.topology);
        return new HybridClock(
                environment::currentTimeMillis,
                environment::nanoTime,
                config.times().maxClockSkew().toMillis(),
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
