package io.dht4j.core.internal.coordinator.node;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.PeerClocks;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.AddressCheck;
import io.dht4j.core.internal.coordinator.peer.Disagreements;
import io.dht4j.core.internal.coordinator.peer.FirstContact;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.PeerMonitor;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplicaOrder;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.write.ParkedWrites;
import io.dht4j.core.internal.coordinator.write.WriteDeadlines;
import io.dht4j.core.internal.detection.GuardedDetector;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.membership.ClusterView;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.Refill;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.repair.session.AntiEntropy;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.replica.PeerEndpoint;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.replica.RowGuard;
import io.dht4j.core.internal.replica.SlotHolders;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What runs in a node without calls of its application: its replica and the endpoint of peers, the client of the other
 * replicas, and handoff, refill and repair. Creates these, starts them, and stops them in an order in which each can
 * still use what it needs.
 */
final class NodeRuntime {

    private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(2);

    /** The components of the node, with the store as snapshots see it. */
    final NodeComponents components;

    final HybridClock clock;
    /** The versions of writes. */
    final VersionSource versions;

    final PeerClocks clocks;
    /** Until it is over no write gets a version. */
    final FirstContact firstContact;

    final Snapshots snapshots;
    final Replica replica;
    final ReplicaClient client;
    final Handoff handoff;
    /** The large writes that replicas have no room for. */
    final ParkedWrites parked;

    /** The deadlines of writes. */
    final WriteDeadlines deadlines;

    final PartitionReadBarrier readBarrier = new PartitionReadBarrier();
    /** Empty in a member without a store. */
    final Optional<AntiEntropy> antiEntropy;

    private final NodeConfig config;
    private final Environment environment;
    private final PurgeWatermarks watermarks;
    private final Refill refill;
    private final PeerEndpoint endpoint;
    private final Suspicion suspicion;
    private final Disagreements disagreements;

    NodeRuntime(NodeComponents given, NodeConfig config, HybridClock clock) {
        this.snapshots = new Snapshots(
                given.store(), given.environment(), clock, config.limits().snapshotBytes());
        this.components = given.withStore(snapshots.store());
        this.config = config;
        this.clock = clock;
        this.environment = components.environment();
        this.versions = new VersionSource(
                clock, environment, components.isNode() ? Optional.of(components.store()) : Optional.empty());
        ClusterView first = components.view();
        List<Node> others = PeersOfView.others(first);
        this.watermarks = new PurgeWatermarks(
                components.store(),
                components.view().partitions(),
                components::partitionOf,
                components.views().applying());
        LocalReplica localReplica = localReplica();
        this.replica = replica(localReplica);
        OwnHeader own = ownHeader();
        this.disagreements = new Disagreements(
                components.self(),
                own::settings,
                () -> components.view().topology(),
                this::ping,
                environment::nanoTime);
        this.suspicion =
                new Suspicion(environment, others, new GuardedDetector(components.detector(), environment), this::ping);
        this.clocks = new PeerClocks(
                environment,
                others.stream().map(Node::id).toList(),
                components.view().topology().size(),
                clock.maxSkewMillis(),
                id -> components.view().topology().node(id).ifPresent(this::ping));
        this.client = new ReplicaClient(
                components,
                config,
                replica,
                own,
                new ReplicaOrder(components.self(), suspicion),
                new PeerMonitor(clock, clocks, suspicion, disagreements, this::heard));
        this.endpoint = endpoint(own);
        this.firstContact = new FirstContact(
                environment,
                others.stream().map(Node::id).toList(),
                config.times().startPatience());
        BackgroundRequests requests = new BackgroundRequests(
                components.self(),
                components.views(),
                client,
                replica,
                config.calls().timeout());
        this.refill = new Refill(
                environment,
                components.self(),
                components.view(),
                config.replicationFactor(),
                config.refillWithout(),
                components.refill(),
                requests::fetchPage,
                readBarrier);
        // For all nodes: as a replica, this node may miss writes that it coordinates.
        this.handoff = new Handoff(
                environment,
                components.view().topology().nodes(),
                components.hints(),
                config.handoff(),
                new Admission(
                        "missed writes to be kept",
                        config.limits().maxInFlight(),
                        config.limits().writeBytes()),
                requests::sendHints,
                client.order()::isSuspected);
        this.parked = new ParkedWrites(environment, handoff);
        this.deadlines = new WriteDeadlines(environment);
        this.antiEntropy = components.isNode() ? Optional.of(antiEntropy(localReplica, requests)) : Optional.empty();
        components.views().listen((before, now) -> {
            if (!before.cluster().equals(now.cluster())) {
                own.require(components.settings(config));
            }
        });
        PeersOfView follower = new PeersOfView(client, suspicion, clocks, disagreements, handoff);
        components.views().listen(follower);
        ClusterView now = components.view();
        if (now.epoch() > first.epoch()) {
            // Installed in the meantime.
            follower.installed(first, now);
        }
        resumeClock();
    }

    private LocalReplica localReplica() {
        return new LocalReplica(
                components.store(),
                watermarks,
                new RollbackDetector(
                        watermarks,
                        readBarrier,
                        clock::isTooFarAhead,
                        () -> snapshots.endAll(
                                "the disk of this node was rolled back, so that it lacks what it should show")),
                components.view().partitions(),
                components::partitionOf,
                environment::currentTimeMillis,
                config.repair().purgeAfter());
    }

    private Replica replica(LocalReplica localReplica) {
        return new Replica(
                components.store(),
                watermarks,
                localReplica,
                environment,
                clock,
                snapshots,
                new RowGuard(components.views()),
                config.limits(),
                config.overload().queue(),
                readBarrier);
    }

    private OwnHeader ownHeader() {
        return new OwnHeader(
                components.self(),
                components.settings(config),
                components.views(),
                clock::current,
                environment::currentTimeMillis);
    }

    private PeerEndpoint endpoint(OwnHeader own) {
        int maxFrameBytes = config.limits().maxValueBytes() + FrameCodec.FRAME_OVERHEAD;
        PeerEndpoint made = new PeerEndpoint(
                replica,
                own,
                components.names(),
                clock,
                maxFrameBytes,
                components::mayCall,
                disagreements,
                new SlotHolders(versionSlots(), environment),
                client.refresh());
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

    private AntiEntropy antiEntropy(LocalReplica localReplica, BackgroundRequests requests) {
        return new AntiEntropy(
                environment,
                components.self(),
                localReplica,
                new RepairPeers(requests::ask, requests::merge, client.order()::isSuspected),
                config.repair(),
                config.times().startPatience(),
                readBarrier,
                config.refillWithout(),
                partition -> components.view().replicas(partition, config.replicationFactor()));
    }

    private void resumeClock() {
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
     * Begins to listen, and starts the background work. Blocks until the transport accepts requests.
     *
     * @throws io.dht4j.spi.TransportException if it cannot listen; the caller then closes this
     * @throws IllegalArgumentException if two nodes have one endpoint
     */
    void start() {
        AddressCheck.check(components.view().topology().nodes(), components.transport());
        if (!components.view().hasRowVersions()) {
            // The store of a node of an agreed cluster is bound to the node's identity.
            components.store().bind(components.binding());
        }
        versions.load();
        watermarks.load();
        antiEntropy.ifPresent(AntiEntropy::start);
        listen();
        firstContact.over().thenRun(versions::prepare);
        firstContact.begin();
        PeersOfView.others(components.view()).forEach(this::ping);
        antiEntropy.ifPresent(AntiEntropy::exchangeWatermarks);
        handoff.start();
        refill.start();
    }

    private void listen() {
        try {
            CompletionStage<Void> started = components.transport().start(endpoint);
            started.toCompletableFuture().get(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = DhtException.unwrap(e);
            throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
        } catch (TimeoutException e) {
            throw new IllegalStateException("the transport did not start within " + START_TIMEOUT, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the transport was starting", e);
        }
    }

    /** Refuses the requests of peers from now on. */
    void fail(String why) {
        endpoint.stop("this node can no longer serve: " + why);
    }

    /**
     * Stops and closes everything except the environment. Blocks, for at most the drain timeout for each kind of work
     * in flight.
     *
     * @param calls completes when no call is in flight
     */
    void close(CompletableFuture<Void> calls) {
        firstContact.close();
        await(calls, "calls");
        // Their timers end with the environment. The writes that replicas miss become hints, drained below.
        parked.close();
        suspicion.close();
        antiEntropy.ifPresent(AntiEntropy::close);
        refill.close();
        await(handoff.drain(config.times().drainTimeout()), "hints for other nodes");
        endpoint.stop("this node is shutting down");
        try {
            components.transport().close();
        } finally {
            await(replica.close(), "requests of peers");
            // The writes have ended with the transport.
            deadlines.close();
            try {
                // The hints of calls that ended with the transport are kept too.
                await(handoff.settle(), "missed writes");
                handoff.close();
                versions.close();
            } finally {
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
                    "{} were still under way after {}; closing all the same",
                    what,
                    config.times().drainTimeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("interrupted while {} were under way; closing at once", what);
        } catch (ExecutionException e) {
            throw new IllegalStateException("this future never fails", e);
        }
    }

    /** Returns the progress of the refill of lost partitions and of the repair of rolled-back ones, as one. */
    RefillStatus refillStatus() {
        RefillStatus lost = refill.status();
        RefillStatus old = antiEntropy.map(AntiEntropy::refillStatus).orElse(RefillStatus.NONE);
        PartitionSet closed = readBarrier
                .of(PartitionReadBarrier.Reason.LOST)
                .union(readBarrier.of(PartitionReadBarrier.Reason.ROLLED_BACK))
                .union(readBarrier.of(PartitionReadBarrier.Reason.IMPLAUSIBLE));
        return new RefillStatus(
                closed.cardinality(),
                lost.entries() + old.entries(),
                Stream.concat(lost.waitsFor().stream(), old.waitsFor().stream())
                        .distinct()
                        .sorted(Comparator.comparing(NodeId::value))
                        .toList());
    }

    /** Returns the other nodes that do not answer, as of some milliseconds ago. */
    Set<NodeId> suspects() {
        return suspicion.suspects();
    }

    /** Returns the other nodes with other settings or addresses, and asks them again: they may agree by now. */
    Set<NodeId> disagreeing() {
        return disagreements.ofCalled();
    }

    private void heard(NodeId node, long now) {
        suspicion.heard(node, now);
        firstContact.answered();
        handoff.answered(node);
        antiEntropy.ifPresent(repair -> repair.answered(node));
    }

    /**
     * Asks a node for a sign of life, which goes to {@link #heard}. The answer carries the node's clock, so that this
     * node's versions are new even if its own clock is behind, and shows a wrong node or other settings at once.
     */
    private void ping(Node node) {
        client.ask(
                node,
                OutboundRequest.alone(new Request.Ping()),
                client.context(PING_TIMEOUT),
                ReplyHandler.of(reply -> LOG.debug("{} is there", node.id()), this::pingFailed));
    }

    private void pingFailed(PeerFailure failure) {
        LOG.debug("{}", failure);
        if (failure.refused()) {
            firstContact.refused(failure.node());
        }
    }
}
