package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.PartitionReadBarrier.Reason;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.session.RetryingRequests.Attempt;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchanges purge watermarks with the other replicas when this node starts, so that every rolled-back disk is detected.
 * Reads of a partition wait until all its other replicas have reported theirs.
 *
 * <p>Once another replica has answered, an unreachable one delays no reads; it reports its watermarks when it starts.
 * Reads wait at most some seconds, so that a node can serve while others are away for long. Later requests go to
 * replicas that have not reported by then, and reads are refused once a partition proves to be rolled back. A node with
 * an empty store cannot show deleted entries, and serves reads at once.
 *
 * <p>Does not block, except {@link #begin}; safe for use by any number of threads.
 */
final class PurgeWatermarkExchange {

    private static final Logger LOG = LoggerFactory.getLogger(PurgeWatermarkExchange.class);

    /** How long partitions with an unknown decision are gathered before all nodes are asked. */
    private static final Duration GATHER = Duration.ofSeconds(5);

    /** How long reads wait for answers, which most nodes give at once, before they are refused. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * The delay after which all nodes are asked once more. Sessions that were running when this node started, and in
     * which it may have voted before, have ended by then.
     */
    private static final Duration SECOND_TIME = Duration.ofMinutes(2);

    /** How long unreachable nodes may take to start, for example when nodes are started one by one. */
    private static final Duration ALARM = Duration.ofMinutes(1);

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final Environment environment;
    private final NodeId self;
    private final LocalReplica local;
    private final RepairPeers peers;
    private final Throttle throttle;
    private final PartitionReadBarrier barrier;
    /** The other replicas, each with the partitions that it shares with this node. Replaced with each view. */
    private volatile Map<Node, PartitionSet> others;

    /** The maximum time that reads wait for nodes that do not answer. */
    private final Duration readPatience;

    private final RetryingRequests requests;

    // Guarded by this.
    private final MissingReports missing;

    private boolean readsWait;
    private boolean begun;
    private boolean closed;

    /** Whether silent nodes have been logged, but not yet their answers. */
    private boolean warned;

    private Environment.@Nullable Timer patienceTimer;
    private Environment.@Nullable Timer graceTimer;
    private Environment.@Nullable Timer alarmTimer;
    private Environment.@Nullable Timer secondTimer;
    private Environment.@Nullable Timer gatherTimer;

    /** The partitions of the next request to all nodes. */
    private PartitionSet gathered = PartitionSet.empty();

    /**
     * Creates an exchange that has not begun.
     *
     * @param others the other replicas at present, each with the partitions that it shares with this node
     * @param readPatience the maximum time that reads wait
     */
    PurgeWatermarkExchange(
            Environment environment,
            NodeId self,
            LocalReplica local,
            RepairPeers peers,
            Throttle throttle,
            PartitionReadBarrier barrier,
            Map<Node, PartitionSet> others,
            Duration readPatience) {
        this.readPatience = readPatience;
        this.environment = environment;
        this.self = self;
        this.local = local;
        this.peers = peers;
        this.throttle = throttle;
        this.barrier = barrier;
        this.others = others;
        this.missing = new MissingReports(others);
        this.requests = new RetryingRequests(environment, this, this::ask);
    }

    /** Refuses reads of the unchecked partitions; called before the first read. */
    void begin() {
        synchronized (this) {
            readsWait = !local.isEmpty();
            updateBarrier();
        }
        releaseReads();
    }

    /** Completes the waiting reads on this thread, once no partition is unchecked. */
    private void releaseReads() {
        if (barrier.of(Reason.UNCHECKED).isEmpty()) {
            barrier.checked().complete(null);
        }
    }

    /** Sends the requests; called once this node serves requests itself. */
    void askAll() {
        Set<Node> all;
        synchronized (this) {
            begun = true;
            if (readsWait && !missing.isEmpty()) {
                patienceTimer = environment.schedule(this::patienceEnded, readPatience.toNanos());
                graceTimer = environment.schedule(() -> barrier.checked().complete(null), GRACE_NANOS);
            }
            secondTimer = environment.schedule(() -> others.forEach(this::askAbout), SECOND_TIME.toNanos());
            all = missing.nodes();
        }
        all.forEach(requests::askNow);
    }

    /**
     * Follows a view. Asks nodes about the partitions that they newly share with this node, and stops waiting for those
     * that they no longer share.
     *
     * @param now the other replicas, each with the partitions that it shares with this node
     */
    void follow(Map<Node, PartitionSet> now) {
        List<Node> asked = new ArrayList<>();
        synchronized (this) {
            Map<Node, PartitionSet> before = others;
            others = now;
            missing.retain(now);
            now.forEach((node, partitions) -> {
                PartitionSet added = partitions.minus(before.getOrDefault(node, PartitionSet.empty()));
                if (!added.isEmpty()) {
                    missing.expect(node, added, requests.isAsking(node));
                    asked.add(node);
                }
            });
            updateAfterReport();
            if (!begun || closed) {
                asked.clear();
            }
        }
        releaseReads();
        asked.forEach(requests::askNow);
    }

    /** Handles a reply of a node to any request: it is reachable. */
    void answered(NodeId id) {
        requests.answered(id);
    }

    /** Asks a node that has reported higher purge watermarks in a request: only its reply is used. */
    void unproven(String from, PartitionSet partitions) {
        others.keySet().stream()
                .filter(node -> node.id().value().equals(from))
                .forEach(node -> askAbout(node, partitions));
    }

    /** Asks all other nodes, after a while, about partitions with a decision but without a known vote of this node. */
    synchronized void unknownDecision(PartitionSet partitions) {
        gathered = gathered.union(partitions);
        if (!closed && gatherTimer == null) {
            gatherTimer = environment.schedule(this::askAboutGathered, GATHER.toNanos());
        }
    }

    private void askAboutGathered() {
        PartitionSet some;
        synchronized (this) {
            some = gathered;
            gathered = PartitionSet.empty();
            gatherTimer = null;
        }
        others.keySet().forEach(node -> askAbout(node, some));
    }

    /** Exchanges the watermarks of some partitions with a node, repeatedly until it answers. */
    void askAbout(Node node, PartitionSet partitions) {
        synchronized (this) {
            PartitionSet shared =
                    others.getOrDefault(node, PartitionSet.empty()).intersection(partitions);
            if (closed || shared.isEmpty()) {
                return;
            }
            missing.expect(node, shared, requests.isAsking(node));
        }
        requests.askNow(node);
    }

    private void ask(Node node, Attempt attempt) {
        PartitionSet asked;
        synchronized (this) {
            Optional<PartitionSet> left = missing.beginRequest(node);
            if (closed || left.isEmpty()) {
                requests.ended(node);
                return;
            }
            asked = left.get();
            requests.began(node);
        }
        ask(node, asked.chunks(LocalReplica.MAX_SUMS), 0).whenComplete((done, error) -> {
            if (error != null) {
                LOG.debug(
                        "{} has not reported its purge watermarks yet: {}",
                        node.id(),
                        DhtException.unwrap(error).getMessage());
                failed(node, DhtException.unwrap(error), attempt);
            } else {
                // Partitions may have been added since.
                ask(node, Attempt.FIRST);
            }
        });
    }

    private void failed(Node node, Throwable error, Attempt attempt) {
        synchronized (this) {
            missing.failed(node, error);
            if (readsWait && missing.areAllRefusing()) {
                // The nodes are not running: they report their watermarks when they start.
                stopWaitingForUnreachable();
            }
            updateBarrier();
        }
        releaseReads();
        synchronized (this) {
            if (!closed) {
                requests.retryLater(node, attempt);
            }
        }
    }

    private CompletableFuture<Void> ask(Node node, List<PartitionSet> chunks, int index) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(null);
        }
        PartitionSet chunk = chunks.get(index);
        return exchange(local, self, peers, node, chunk)
                .thenCompose(purged -> throttle.runOnStore(
                        () -> local.rollbacks().replied(node.id().value(), chunk, purged)))
                .thenCompose(done -> ask(node, chunks, index + 1));
    }

    /** Sends this node's purge watermarks of some partitions to a node; completes with that node's. */
    static CompletableFuture<List<Long>> exchange(
            LocalReplica local, NodeId self, RepairPeers peers, Node node, PartitionSet partitions) {
        RepairRequest.Watermarks own = new RepairRequest.Watermarks(self.value(), partitions, local.purged(partitions));
        return peers.ask(node, own, TIMEOUT).thenApply(reply -> ((RepairReply.Watermarks) reply).purged());
    }

    /** Handles purge watermarks that another node has reported and that have been checked. */
    void checked(String from, PartitionSet partitions) {
        synchronized (this) {
            missing.reported(from, partitions);
            updateAfterReport();
        }
        releaseReads();
    }

    /** Allows reads of the partitions without a missing report. Called with the lock held. */
    private void updateAfterReport() {
        // Partitions that are added later are asked about while they are read.
        readsWait &= !missing.isEmpty();
        updateBarrier();
        if (missing.isEmpty() && patienceTimer != null) {
            patienceTimer.cancel();
        }
        if (missing.isEmpty() && warned) {
            warned = false;
            // At the level of the warning at the beginning.
            LOG.warn("all other nodes have reported what they have purged");
        }
    }

    private synchronized void patienceEnded() {
        if (closed || missing.isEmpty()) {
            return;
        }
        if (missing.areAllUnreachable()) {
            stopWaitingForUnreachable();
        } else {
            readsWait = false;
            warn(missing.nodes(), readPatience);
        }
        updateBarrier();
    }

    /** Allows reads without the reports of nodes that cannot be reached. Called with the lock held. */
    private void stopWaitingForUnreachable() {
        if (!readsWait) {
            return;
        }
        readsWait = false;
        Set<Node> away = missing.nodes();
        LOG.info(
                "{} could not be reached yet: this node is read meanwhile, and asks them when they are there",
                MissingReports.ids(away));
        alarmTimer = environment.schedule(() -> warnIfStillAway(away), ALARM.toNanos());
    }

    private synchronized void warnIfStillAway(Set<Node> away) {
        Set<Node> still = missing.nodes();
        still.retainAll(away);
        if (!closed && !still.isEmpty()) {
            warn(still, readPatience.plus(ALARM));
        }
    }

    private void warn(Set<Node> silent, Duration time) {
        warned = true;
        LOG.warn(
                "{} did not report within {} s whether they have deleted and purged what this node still holds: it is "
                        + "read meanwhile, and they are asked again and again. Start them, or see why this node cannot "
                        + "reach them",
                MissingReports.ids(silent),
                time.toSeconds());
    }

    /** Refuses reads of the partitions that still wait for an answer. Called with the lock held. */
    private void updateBarrier() {
        barrier.set(Reason.UNCHECKED, readsWait ? missing.unsafe() : PartitionSet.empty());
    }

    void close() {
        synchronized (this) {
            closed = true;
            Stream.of(patienceTimer, graceTimer, alarmTimer, secondTimer, gatherTimer)
                    .filter(Objects::nonNull)
                    .forEach(Environment.Timer::cancel);
            requests.close();
        }
        barrier.checked().complete(null);
    }
}
