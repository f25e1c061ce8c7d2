package io.dht4j.core;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.coordinator.peer.AddressCheck;
import io.dht4j.core.internal.handoff.MemoryHintLog;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.agreed.formation.Founding;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes;
import io.dht4j.core.internal.membership.operator.OperatorMembership;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Origin;
import io.dht4j.core.options.NodeOptions.Limits;
import io.dht4j.spi.ClosingThread;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates and starts a node with a builder's settings, and closes its parts if the start fails. In an agreed cluster,
 * the node's membership starts first, and the node itself once there is an agreed state.
 */
final class NodeAssembly implements NodeStart {

    private static final Logger LOG = LoggerFactory.getLogger(NodeAssembly.class);

    private final ClusterBuilder given;
    private final Optional<Membership> options;
    private final Transport transport;
    private final Store store;
    private final NodeConfig config;
    private final HintLog hints;
    private final Environment environment;
    private final boolean ownsEnvironment;
    private final CompletableFuture<Cluster> cluster = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Null in a static cluster, and until the node's directory is open. */
    private volatile @Nullable AgreedMembership membership;

    NodeAssembly(ClusterBuilder given, Optional<Membership> options, Transport transport, Store store) {
        this.given = given;
        this.options = options;
        this.transport = transport;
        this.store = store;
        this.config = given.config();
        this.hints =
                given.hints == null ? new MemoryHintLog(config.limits().memory().hintBytes()) : given.hints;
        this.ownsEnvironment = given.environment == null;
        this.environment =
                given.environment == null ? SystemEnvironment.create("dht4j-" + given.self) : given.environment;
    }

    /** Begins the start: on this thread in a static cluster, on another one in an agreed cluster. */
    void begin() {
        options.ifPresentOrElse(member -> onStore(() -> enter(member)), () -> guarded(this::serve));
    }

    /**
     * Begins, and waits for the cluster. Blocks.
     *
     * @return the cluster; its failure closes the parts of the node
     */
    Cluster start() {
        begin();
        try {
            return cluster.get();
        } catch (ExecutionException e) {
            Throwable cause = DhtException.unwrap(e);
            end(cause);
            if (cause instanceof Error error) {
                throw error;
            }
            throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            IllegalStateException interrupted =
                    new IllegalStateException("interrupted while the node was starting: " + waiting(), e);
            end(interrupted);
            throw interrupted;
        }
    }

    private void onStore(Runnable task) {
        try {
            environment.storeExecutor().execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            cluster.completeExceptionally(new IllegalStateException("node " + given.self + " is closed", e));
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            cluster.completeExceptionally(e);
        }
    }

    /** Starts a node of a static cluster. Blocks. */
    private void serve() {
        config.limits().memory().requireRoom();
        NodeNotes.requireStatic(store, given.self);
        VersionSlots slots = new VersionSlots(given.topology);
        serve(new NodeCluster(
                components(transport, fixed(table())),
                config,
                clock(slots.of(given.self), slots.count()),
                Optional.empty(),
                ownsEnvironment));
    }

    /** Starts the membership of a node of an agreed cluster. Blocks. */
    private void enter(Membership member) {
        config.limits().memory().requireRoom();
        if (member.origin() == Origin.BOOTSTRAP) {
            AddressCheck.check(member.nodes(), transport);
        } else {
            AddressCheck.report(List.of(member.self()), transport);
        }
        AgreedMembership made = new AgreedMembership(
                member,
                founding(),
                // A version may be ahead of a clock by the skew, and that clock behind by as much.
                new AgreedMembership.Driving(
                        given.placement, config.times().maxClockSkew().multipliedBy(2)),
                store,
                transport,
                environment,
                given.hash,
                new Observations(config.observation().observer(), Optional.empty(), Optional.empty(), environment));
        membership = made;
        if (closed.get()) {
            // The caller that has closed this start has not seen it.
            made.close();
            return;
        }
        made.start().whenComplete((started, error) -> {
            if (error == null) {
                onStore(() -> serve(made));
            } else {
                cluster.completeExceptionally(DhtException.unwrap(error));
            }
        });
    }

    /** Starts a node of an agreed cluster. Blocks. */
    private void serve(AgreedMembership member) {
        AgreedSettings agreed = member.state().orElseThrow().settings();
        serve(new NodeCluster(
                components(member.transport(), member.views()),
                config(agreed),
                clock(member.member().versionSlot(), VersionSlots.AGREED_SLOTS),
                Optional.of(new OperatorMembership(given.self, member, given.placement, environment)),
                ownsEnvironment));
    }

    private void serve(NodeCluster node) {
        node.start();
        if (!cluster.complete(node)) {
            node.close();
        }
    }

    private Founding founding() {
        PartitionTable table = table();
        NodeComponents fixed = components(transport, fixed(table));
        AgreedSettings agreed = new AgreedSettings(
                given.partitions,
                given.placement.name(),
                given.hash.name(),
                given.hash.hash("fingerprint".getBytes(StandardCharsets.US_ASCII)),
                given.replicationFactor,
                config.limits().maxValueBytes());
        String fingerprint = fixed.settings(config).values().getOrDefault(ClusterSettings.TABLE, "");
        return new Founding(agreed, claims(agreed), given.topology.nodes(), table, fingerprint, fixed.binding());
    }

    /** Returns the settings that the builder was given, and those of objects that the node cannot get elsewhere. */
    private Map<String, String> claims(AgreedSettings agreed) {
        Map<String, String> claims = new LinkedHashMap<>(agreed.values());
        given.unset().forEach(claims::remove);
        return claims;
    }

    private PartitionTable table() {
        return given.placement.assign(given.topology, given.partitions);
    }

    /** Returns the views of a static cluster, or of the founders of an agreed one. */
    private Views fixed(PartitionTable table) {
        return new Views(ClusterView.fixed(given.self, given.topology, given.hash, table, given.replicationFactor));
    }

    private NodeComponents components(Transport transport, Views views) {
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
                views,
                Set.copyOf(given.trusted));
    }

    private NodeConfig config(AgreedSettings agreed) {
        Limits limits = config.limits();
        return new NodeConfig(
                config.refillWithout(),
                config.calls(),
                new Limits(
                        limits.memory().withMaxValueBytes(agreed.maxValueBytes()),
                        limits.inlineValueBytes(),
                        limits.maxInFlight(),
                        limits.maxInFlightBytes(),
                        limits.maxBatch(),
                        limits.maxSnapshotBytes()),
                config.times(),
                config.batching(),
                config.handoff(),
                config.repair(),
                config.overload(),
                config.observation());
    }

    private HybridClock clock(int versionSlot, int versionSlots) {
        return new HybridClock(
                environment::currentTimeMillis,
                environment::nanoTime,
                config.times().maxClockSkew().toMillis(),
                versionSlot,
                versionSlots);
    }

    @Override
    public CompletionStage<Cluster> cluster() {
        return DhtException.unwrap(cluster);
    }

    @Override
    public String waiting() {
        AgreedMembership made = membership;
        if (cluster.isDone()) {
            return "";
        }
        return made == null ? "node " + given.self + " opens its data directory" : made.waiting();
    }

    @Override
    public void close() {
        if (!closed.get()) {
            ClosingThread.check("node " + given.self, false, LOG::warn);
            IllegalStateException failures = new IllegalStateException("the parts of the node do not close");
            end(failures);
            if (failures.getSuppressed().length > 0) {
                throw failures;
            }
        }
    }

    /** Closes the node, or the parts if there is none. Their failures become suppressed ones. */
    private void end(Throwable failures) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        cluster.completeExceptionally(new IllegalStateException("node " + given.self + " was closed"));
        if (!cluster.isCompletedExceptionally()) {
            cluster.join().close();
            return;
        }
        AgreedMembership made = membership;
        release(made == null ? () -> {} : made::close, failures);
        if (!isOfAnother()) {
            release(transport, failures);
            release(store, failures);
            release(hints, failures);
        }
        if (ownsEnvironment) {
            release(environment, failures);
        }
    }

    /** Returns whether the start has failed because another node has started the transport. */
    private boolean isOfAnother() {
        return cluster.handle((node, error) -> error instanceof TransportException failure
                        && failure.reason() == TransportException.Reason.STARTED)
                .join();
    }

    /** Closes a part, if there is one. Its failure becomes a suppressed one. */
    static void release(@Nullable AutoCloseable part, Throwable failures) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception e) {
            failures.addSuppressed(e);
        }
    }
}
