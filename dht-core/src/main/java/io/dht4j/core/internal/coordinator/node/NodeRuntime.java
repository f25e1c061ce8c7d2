package io.dht4j.core.internal.coordinator.node;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.core.internal.coordinator.atomic.RegisterCalls;
import io.dht4j.core.internal.coordinator.config.CallerNames;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.AddressCheck;
import io.dht4j.core.internal.coordinator.write.WriteDeadlines;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.observation.SlowCallLog;
import io.dht4j.core.internal.observation.Tracing;
import io.dht4j.core.internal.replica.PeerEndpoint;
import io.dht4j.core.internal.replica.SlotHolders;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the parts of a node that need no call of its application: its replica and the endpoint of peers, the client of
 * the other replicas, and background work. Creates these, starts them, makes them follow the installed views, and stops
 * them in an order in which each can still use what it needs.
 */
final class NodeRuntime {

    private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    final LocalServices local;
    final PeerServices peers;
    final RegisterCalls registers;
    final BackgroundServices background;
    /** The deadlines of writes. */
    final WriteDeadlines deadlines;

    final Observations observations;

    private final NodeComponents components;
    private final NodeConfig config;
    private final OwnHeader own;
    private final PeerEndpoint endpoint;
    /** Another node has started the transport, and may use the store and the hints too: they stay open. */
    private volatile boolean isOfAnother;
    /** Whether the closing thread was interrupted. */
    private boolean isHurried;

    NodeRuntime(NodeComponents components, NodeConfig config, HybridClock clock) {
        this.config = config;
        this.local = new LocalServices(components, config, clock);
        this.components = components;
        ClusterView first = components.view();
        this.own = new OwnHeader(
                components.self(),
                components.settings(config),
                components.views(),
                clock::current,
                components.environment()::currentTimeMillis);
        this.observations = new Observations(
                config.observation().observer(),
                config.observation()
                        .slowCalls()
                        .map(least -> new SlowCallLog(
                                components.self(),
                                least,
                                components.hash(),
                                components.views(),
                                components.environment())),
                config.observation()
                        .tracer()
                        .map(tracer -> new Tracing(tracer, components.hash(), components.environment())),
                components.environment());
        this.peers = new PeerServices(config, local, own, observations);
        this.registers = new RegisterCalls(
                components,
                peers.client,
                local.versions,
                local.snapshots,
                config.limits().memory().promiseBytes(),
                config.repair().purgeAfter(),
                local.promises::wereMade);
        local.replica.executeBy(registers.proposer()::serve);
        this.endpoint = endpoint();
        this.background = new BackgroundServices(config, local, peers, registers);
        peers.listen(background::answered);
        this.deadlines = new WriteDeadlines(components.environment());
        // One by one, so that the failure of one does not keep the others from a view.
        List<Views.Listener> followers =
                List.of(this::followSettings, peers::follow, (before, now) -> background.follow(now));
        followers.forEach(components.views()::listen);
        ClusterView now = components.view();
        if (now.epoch() > first.epoch()) {
            // Installed in the meantime.
            followers.forEach(follower -> follower.installed(first, now));
        }
        local.resumeClock();
    }

    private PeerEndpoint endpoint() {
        int maxFrameBytes = config.limits().maxValueBytes() + FrameCodec.FRAME_OVERHEAD;
        PeerEndpoint made = new PeerEndpoint(
                local.replica,
                own,
                components.names(),
                local.clock,
                maxFrameBytes,
                new CallerNames(components),
                peers.disagreements,
                new SlotHolders(versionSlots(), components.environment()),
                peers.client.refresh(),
                observations.tracing());
        if (!components.isNode()) {
            made.stop("this member of the cluster stores nothing");
        }
        return made;
    }

    private VersionSlots versionSlots() {
        ClusterView view = components.view();
        return view.hasRowVersions()
                ? VersionSlots.agreed(id -> components.view().identity(id) != null, Member.VERSION_SLOTS)
                : new VersionSlots(view.topology());
    }

    private void followSettings(ClusterView before, ClusterView now) {
        if (!before.cluster().equals(now.cluster())) {
            own.require(components.settings(config));
        }
    }

    /**
     * Begins to listen, and starts the background work. Blocks until the transport accepts requests.
     *
     * @throws io.dht4j.spi.TransportException if it cannot listen; the caller then closes this
     * @throws IllegalArgumentException if two nodes of a static cluster have one endpoint
     */
    void start() {
        List<Node> nodes = components.view().topology().nodes();
        if (components.view().hasRowVersions()) {
            AddressCheck.report(nodes, components.transport());
        } else {
            AddressCheck.check(nodes, components.transport());
        }
        local.load();
        background.prepare();
        listen();
        peers.firstContact.over().thenRun(local.versions::prepare);
        peers.begin();
        background.begin();
    }

    private void listen() {
        try {
            CompletionStage<Void> started = components.transport().start(endpoint);
            started.toCompletableFuture().get(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = DhtException.unwrap(e);
            isOfAnother = cause instanceof TransportException known && known.reason() == Reason.STARTED;
            throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
        } catch (TimeoutException e) {
            throw new IllegalStateException("the transport did not start within " + START_TIMEOUT, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the transport was starting", e);
        }
    }

    /** Refuses the requests of peers from now on, for a reason for people. */
    void fail(String why) {
        endpoint.stop(why);
    }

    /**
     * Stops and closes everything except the environment, and the parts of another node. Blocks, for at most the drain
     * timeout for each kind of work in flight.
     *
     * @param calls completes when no call is in flight
     */
    void close(CompletableFuture<Void> calls) {
        peers.firstContact.close();
        local.hotKeys.close();
        registers.close();
        await(calls, "calls");
        // Their timers end with the environment. The writes that replicas miss become hints, drained below.
        background.parked.close();
        peers.close();
        background.close();
        await(background.handoff.drain(config.times().drainTimeout()), "hints for other nodes");
        endpoint.stop("this node is shutting down");
        if (isOfAnother) {
            local.versions.close();
            deadlines.close();
            return;
        }
        try {
            components.transport().close();
        } finally {
            CompletableFuture<Void> requests = local.replica.close();
            await(requests, "requests of peers");
            // The writes have ended with the transport.
            deadlines.close();
            try {
                // The hints of calls that ended with the transport are kept too.
                await(background.handoff.settle(), "missed writes");
                background.handoff.close();
                local.versions.close();
            } finally {
                if (!requests.isDone()) {
                    local.replica.abandon();
                }
                components.store().close();
            }
        }
    }

    private void await(CompletableFuture<Void> drained, String what) {
        try {
            if (!drained.isDone()) {
                drained.get(config.times().drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException e) {
            LOG.warn(
                    "node {}: {} were still under way after {} ms; closing all the same",
                    components.self(),
                    what,
                    config.times().drainTimeout().toMillis());
        } catch (InterruptedException e) {
            // Also the next waits end at once.
            Thread.currentThread().interrupt();
            if (!isHurried) {
                LOG.warn("node {}: interrupted while {} were under way; closing at once", components.self(), what);
            }
            isHurried = true;
        } catch (ExecutionException e) {
            throw new IllegalStateException("this future never fails", e);
        }
    }
}
