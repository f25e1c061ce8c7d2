package io.dht4j.core.internal.coordinator.node;

import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.PeerClocks;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.AddressCheck;
import io.dht4j.core.internal.coordinator.peer.Disagreements;
import io.dht4j.core.internal.coordinator.peer.FirstWord;
import io.dht4j.core.internal.coordinator.peer.Outgoing;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.PeerHints;
import io.dht4j.core.internal.coordinator.peer.PeerPages;
import io.dht4j.core.internal.coordinator.peer.PeerRepair;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.write.ParkedWrites;
import io.dht4j.core.internal.detection.GuardedDetector;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.Refill;
import io.dht4j.core.internal.refill.RefillSource;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.repair.session.AntiEntropy;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.replica.PeerEndpoint;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.replica.SlotHolders;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.BitSet;
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
 * What runs in a node whether or not it is called: its replica and the door to it, the ways to the others, and what
 * brings and keeps replicas together. Puts these together, starts them, and stops them in an order in which none misses
 * what another still needs.
 */
final class NodeRuntime {

    private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(2);

    /** With the store as snapshots see it. */
    final NodeComponents parts;

    final HybridClock clock;
    /** What writes are stamped with. */
    final VersionSource versions;

    final PeerClocks clocks;
    /** Until then nothing is stamped. */
    final FirstWord firstWord;

    final Snapshots cuts;
    final Replica replica;
    final ReplicaClient peers;
    final Handoff handoff;
    /** The large writes that replicas had no room for. */
    final ParkedWrites parked;

    final PartitionReadBarrier unfilled = new PartitionReadBarrier();
    /** Empty in a member without a store. */
    final Optional<AntiEntropy> antiEntropy;

    private final NodeConfig limits;
    private final Environment environment;
    private final PurgeWatermarks fence;
    private final Refill refill;
    private final PeerEndpoint endpoint;
    private final List<Node> others;
    private final Suspicion suspicion;
    private final Disagreements disagreements;

    NodeRuntime(NodeComponents given, NodeConfig limits, HybridClock clock) {
        this.cuts = new Snapshots(given.store(), given.environment(), clock, limits.snapshotBytes());
        this.parts = given.withStore(cuts.store());
        this.limits = limits;
        this.clock = clock;
        this.environment = parts.environment();
        this.versions =
                new VersionSource(clock, environment, parts.isNode() ? Optional.of(parts.store()) : Optional.empty());
        this.others = parts.topology().nodes().stream()
                .filter(node -> !node.id().equals(parts.self()))
                .toList();
        this.fence = new PurgeWatermarks(parts.store(), parts.table().partitions(), parts::partitionOf);
        LocalReplica content = content();
        this.refill = new Refill(
                environment, parts.self(), parts.table(), limits.refill(), parts.refill(), this::bringPage, unfilled);
        this.replica = replica(content);
        OwnHeader own = ownHeader();
        this.disagreements =
                new Disagreements(parts.self(), own.settings(), parts.topology(), this::ping, environment::nanoTime);
        this.endpoint = endpoint(own);
        this.suspicion =
                new Suspicion(environment, others, new GuardedDetector(parts.detector(), environment), this::ping);
        this.clocks = new PeerClocks(
                environment,
                others.stream().map(Node::id).toList(),
                parts.topology().size(),
                clock.maxSkewMillis(),
                id -> parts.topology().node(id).ifPresent(this::ping));
        this.peers =
                new ReplicaClient(parts, limits, replica, own, disagreements, clock, clocks, suspicion, this::heard);
        this.firstWord =
                new FirstWord(environment, others.stream().map(Node::id).toList(), limits.startPatience());
        // This node among them: what it coordinates it may miss as a replica.
        this.handoff = new Handoff(
                environment,
                parts.topology().nodes(),
                parts.hints(),
                limits.handoff(),
                new PeerHints(parts, limits, peers));
        this.parked = new ParkedWrites(environment, handoff);
        this.antiEntropy = parts.isNode() ? Optional.of(antiEntropy(content)) : Optional.empty();
        resumeClock();
    }

    private LocalReplica content() {
        return new LocalReplica(
                parts.store(),
                fence,
                new RollbackDetector(
                        fence,
                        unfilled,
                        clock::isTooFarAhead,
                        () -> cuts.endAll("the disk of this node was set back, so that it lacks what it should show")),
                parts.table().partitions(),
                parts::partitionOf,
                environment::currentTimeMillis,
                limits.repair().purgeAfter());
    }

    private Replica replica(LocalReplica content) {
        return new Replica(
                parts.store(),
                fence,
                content,
                environment,
                clock,
                cuts,
                parts::partitionOf,
                limits.maxValueBytes(),
                limits.maxInFlight(),
                limits.maxInFlightBytes(),
                limits.storeReads(),
                limits.maintenanceReads(),
                limits.overload().queue(),
                unfilled);
    }

    private OwnHeader ownHeader() {
        return new OwnHeader(
                parts.self(),
                parts.settings(limits),
                parts.topology().epoch(),
                clock::current,
                environment::currentTimeMillis);
    }

    private PeerEndpoint endpoint(OwnHeader own) {
        int maxFrameBytes = limits.maxValueBytes() + FrameCodec.FRAME_OVERHEAD;
        PeerEndpoint made = new PeerEndpoint(
                replica,
                own,
                parts.names(),
                clock,
                maxFrameBytes,
                parts::mayCall,
                disagreements,
                new SlotHolders(new VersionSlots(parts.topology()), environment));
        if (!parts.isNode()) {
            made.stop("this member of the cluster stores nothing");
        }
        return made;
    }

    private AntiEntropy antiEntropy(LocalReplica content) {
        return new AntiEntropy(
                environment,
                parts.self(),
                content,
                new PeerRepair(parts, peers, replica),
                limits.repair(),
                unfilled,
                limits.refill().without(),
                parts.table().partitions(),
                partition -> parts.table().replicas(partition, limits.replicationFactor()));
    }

    private void resumeClock() {
        Version newest = parts.store().newestAtOpen();
        // One that is too far ahead is of a time when the clock was wrong: the others would refuse what follows it.
        if (!clock.observe(newest)) {
            LOG.warn(
                    "the store's newest entry is {} ms ahead of this node's clock, so that either is wrong: "
                            + "check the clock."
                            + " Keys with such entries cannot be written before that time",
                    newest.millis() - environment.currentTimeMillis());
        }
    }

    /**
     * Listens, and begins what runs by itself. Blocks until the transport accepts requests.
     *
     * @throws io.dht4j.spi.TransportException if it cannot listen; the caller then stops what runs already
     * @throws IllegalArgumentException if two nodes have one endpoint
     */
    void start() {
        AddressCheck.check(parts.topology().nodes(), parts.transport());
        parts.store().bind("name " + parts.self() + ", " + parts.description());
        versions.load();
        fence.load();
        antiEntropy.ifPresent(AntiEntropy::start);
        listen();
        firstWord.said().thenRun(versions::prepare);
        firstWord.begin();
        others.forEach(this::ping);
        antiEntropy.ifPresent(AntiEntropy::askOthers);
        handoff.start();
        refill.start();
    }

    private void listen() {
        try {
            CompletionStage<Void> started = parts.transport().start(endpoint);
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

    /** Requests of peers are refused from now on. */
    void fail(String why) {
        endpoint.stop("this node can no longer serve: " + why);
    }

    /**
     * Stops and closes all but the environment. Blocks, for each thing that is still under way at most the drain
     * timeout.
     *
     * @param calls done when no call is under way any more
     */
    void close(CompletableFuture<Void> calls) {
        firstWord.close();
        await(calls, "calls");
        // Their timers end with the environment. What replicas miss by this is drained and settled below.
        parked.close();
        suspicion.close();
        antiEntropy.ifPresent(AntiEntropy::close);
        refill.close();
        await(handoff.drain(limits.drainTimeout()), "hints for other nodes");
        endpoint.stop("this node is shutting down");
        try {
            parts.transport().close();
        } finally {
            await(replica.close(), "requests of peers");
            try {
                // What calls missed that ended with the transport is kept too.
                await(handoff.settle(), "missed writes");
                handoff.close();
                versions.close();
            } finally {
                parts.store().close();
            }
        }
    }

    private void await(CompletableFuture<Void> drained, String what) {
        try {
            if (!drained.isDone()) {
                drained.get(limits.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException e) {
            LOG.warn("{} were still under way after {}; closing all the same", what, limits.drainTimeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("interrupted while {} were under way; closing at once", what);
        } catch (ExecutionException e) {
            throw new IllegalStateException("this future never fails", e);
        }
    }

    /** What was lost and what is too old are got back in two ways, and are one thing to those who wait for it. */
    RefillStatus refillStatus() {
        RefillStatus lost = refill.status();
        RefillStatus old = antiEntropy.map(AntiEntropy::refillStatus).orElse(RefillStatus.NONE);
        BitSet closed = unfilled.of(PartitionReadBarrier.Why.LOST);
        closed.or(unfilled.of(PartitionReadBarrier.Why.SET_BACK));
        closed.or(unfilled.of(PartitionReadBarrier.Why.UNCLEAR));
        return new RefillStatus(
                closed.cardinality(),
                lost.entries() + old.entries(),
                Stream.concat(lost.waitsFor().stream(), old.waitsFor().stream())
                        .distinct()
                        .sorted(Comparator.comparing(NodeId::value))
                        .toList());
    }

    /** The other nodes that do not answer, as of some milliseconds ago. */
    Set<NodeId> suspects() {
        return suspicion.suspects();
    }

    /** The other nodes that this one disagrees with. Asks them again, so that it notices when that has ended. */
    Set<NodeId> disagreeing() {
        return disagreements.ofCalled();
    }

    private void heard(NodeId node, long now) {
        suspicion.heard(node, now);
        firstWord.answered();
        handoff.answered(node);
        antiEntropy.ifPresent(repair -> repair.answered(node));
    }

    /**
     * Asks a node for a sign of life, which comes to {@link #heard} if it comes. Its answer carries its clock, so that
     * a node whose own is behind gives versions that are new; and who is not the right node, or is configured
     * otherwise, is noticed at once.
     */
    private void ping(Node node) {
        CallContext context = new CallContext(environment::nanoTime, PING_TIMEOUT.toNanos());
        peers.ask(node, Outgoing.alone(new Request.Ping()), context, new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                LOG.debug("{} is there", node.id());
            }

            @Override
            public void failed(PeerFailure failure) {
                LOG.debug("{}", failure);
                if (failure.refused()) {
                    firstWord.refused(node.id());
                }
            }
        });
    }

    /** The refill begins when the ways to the other nodes are there. */
    private void bringPage(Node node, BitSet partitions, Key start, RefillSource.Outcome outcome) {
        new PeerPages(parts, limits, peers, replica).bring(node, partitions, start, outcome);
    }
}
