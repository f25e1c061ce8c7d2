package io.dht4j.core;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.admission.CallerStage;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.coordinator.peer.AddressCheck;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.agreed.formation.Founding;
import io.dht4j.core.internal.membership.operator.OperatorMembership;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Origin;
import io.dht4j.core.options.NodeOptions.Limits;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Transport;
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

/** Starts a node of an agreed cluster: first its membership, and once there is an agreed state the node itself. */
final class AgreedAssembly implements NodeStart {

    private final ClusterBuilder given;
    private final Membership options;
    private final NodeAssembly parts;
    private final NodeConfig config;
    private final CompletableFuture<Cluster> cluster = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable AgreedMembership membership;

    AgreedAssembly(ClusterBuilder given, Membership options, NodeAssembly parts) {
        this.given = given;
        this.options = options;
        this.parts = parts;
        this.config = given.config();
    }

    void begin() {
        onStore(() -> {
            config.limits().memory().requireRoom();
            if (options.origin() == Origin.BOOTSTRAP) {
                AddressCheck.check(options.nodes(), parts.transport);
            } else {
                AddressCheck.report(List.of(options.self()), parts.transport);
            }
            AgreedMembership made = new AgreedMembership(
                    options,
                    founding(),
                    driving(),
                    parts.store,
                    parts.transport,
                    parts.environment,
                    given.hash,
                    new Observations(
                            config.observation().observer(), Optional.empty(), Optional.empty(), parts.environment));
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
        });
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
            closeAfter(cause);
            throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            IllegalStateException interrupted =
                    new IllegalStateException("interrupted while the node was starting: " + waiting(), e);
            closeAfter(interrupted);
            throw interrupted;
        }
    }

    private void closeAfter(Throwable failure) {
        try {
            end();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private void onStore(Runnable task) {
        try {
            parts.environment.storeExecutor().execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    cluster.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            cluster.completeExceptionally(new IllegalStateException("node " + given.self + " is closed", e));
        }
    }

    private AgreedMembership.Driving driving() {
        // A version may be ahead of a clock by the skew, and that clock behind by as much.
        return new AgreedMembership.Driving(
                given.placement, config.times().maxClockSkew().multipliedBy(2));
    }

    private Founding founding() {
        Topology founders = given.topology;
        PartitionTable table = given.placement.assign(founders, given.partitions);
        NodeComponents fixed = components(
                parts.transport,
                new Views(ClusterView.fixed(given.self, founders, given.hash, table, given.replicationFactor)));
        ClusterSettings settings = fixed.settings(config);
        AgreedSettings agreed = new AgreedSettings(
                given.partitions,
                given.placement.name(),
                given.hash.name(),
                given.hash.hash("fingerprint".getBytes(StandardCharsets.US_ASCII)),
                given.replicationFactor,
                config.limits().maxValueBytes());
        String fingerprint = settings.values().getOrDefault(ClusterSettings.TABLE, "");
        return new Founding(agreed, claims(agreed), founders.nodes(), table, fingerprint, fixed.binding());
    }

    /** Returns the settings that the builder was given, and those of objects that the node cannot get elsewhere. */
    private Map<String, String> claims(AgreedSettings agreed) {
        Map<String, String> claims = new LinkedHashMap<>(agreed.values());
        given.unset().forEach(claims::remove);
        return claims;
    }

    private NodeComponents components(Transport transport, Views views) {
        return new NodeComponents(
                given.self,
                transport,
                parts.store,
                parts.hints,
                given.refill,
                given.detector,
                parts.environment,
                given.hash,
                given.placement.name(),
                views,
                Set.copyOf(given.trusted));
    }

    /** Creates and starts the node. Blocks. */
    private void serve(AgreedMembership member) {
        AgreedSettings agreed = member.state().orElseThrow().settings();
        NodeCluster node =
                new NodeCluster(components(member.transport(), member.views()), config(agreed), clock(member), false);
        node.joined(
                member,
                new OperatorMembership(given.self, member, given.placement, parts.environment),
                parts.ownsEnvironment);
        node.start();
        if (!cluster.complete(node)) {
            node.close();
        }
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

    private HybridClock clock(AgreedMembership member) {
        return new HybridClock(
                parts.environment::currentTimeMillis,
                parts.environment::nanoTime,
                config.times().maxClockSkew().toMillis(),
                member.member().versionSlot(),
                VersionSlots.AGREED_SLOTS);
    }

    @Override
    public CompletionStage<Cluster> cluster() {
        return cluster.minimalCompletionStage();
    }

    @Override
    public String waiting() {
        AgreedMembership made = membership;
        if (cluster.isDone()) {
            return "";
        }
        NodeId self = given.self;
        return made == null ? "node " + self + " opens its data directory" : made.waiting();
    }

    @Override
    public void close() {
        if (!closed.get()) {
            CallerStage.refuseClose("node " + given.self);
            end();
        }
    }

    private void end() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        cluster.completeExceptionally(new IllegalStateException("node " + given.self + " was closed"));
        if (!cluster.isCompletedExceptionally()) {
            cluster.join().close();
            return;
        }
        AgreedMembership made = membership;
        try {
            if (made != null) {
                made.close();
            }
        } finally {
            parts.release();
        }
    }
}
