package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.RepairCounters;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.tree.HashTreeBuild;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs partitions in the background, and on request. The coordinator of a partition is its first replica, or the
 * first one that is not suspected. Another replica takes over when {@linkplain OrphanedPartitions no session has begun}
 * for some time. The coordinator compares its replica with each of the others, one node after the other, and reconciles
 * both sides. If it has received entries, it compares the earlier nodes again. When all replicas of a partition took
 * part and none lacked an entry older than the seal, a {@linkplain PurgeTransaction two-phase commit} purges dead
 * entries older than the seal.
 *
 * <p>Partitions of a rolled-back disk are repaired at once, and repeatedly until they have been compared with all other
 * replicas. Until then reads of them are refused.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class AntiEntropy {

    private static final Logger LOG = LoggerFactory.getLogger(AntiEntropy.class);

    /**
     * How often a session is repeated at once because replicas have changed; then the next one comes after the
     * interval.
     */
    private static final int MAX_REPETITIONS = 3;

    private final Environment environment;
    private final NodeId self;
    private final LocalReplica local;
    private final RepairPeers peers;
    private final Repair options;
    private final SessionContext sessionContext;
    private final Throttle throttle;
    private final RepairCounters counters;
    private final PartitionReadBarrier barrier;
    private final PurgeWatermarkExchange watermarkExchange;
    private final HashTreeBuild treeBuild;
    /** The roles in the current view; a session keeps those of its beginning. */
    private volatile PartitionRoles roles;

    // Guarded by this.
    private final OrphanedPartitions orphaned;

    /** The seals at the beginning of the last session. */
    private long[] seals;

    private boolean running;
    private boolean closed;
    /** Partitions requested during a session. */
    private PartitionSet requested = PartitionSet.empty();

    private Environment.@Nullable Timer timer;

    private final RetryPause catchUpPause;

    /** The number of sessions since the last one whose replicas did not change. */
    private int repetitions;

    private Set<NodeId> missed = Set.of();

    /**
     * Creates a repair that has not begun.
     *
     * @param environment time, randomness, timers and store threads
     * @param local this node's replicas
     * @param peers the other replicas
     * @param options how often repair runs, how fast, and when dead entries are purged
     * @param startPatience how long reads wait, after a start, for nodes that do not answer
     * @param barrier refuses reads of partitions
     * @param lostNodes other nodes that a rolled-back partition does not wait for
     * @param view the replicas of each partition; later ones are {@linkplain #follow followed}
     */
    public AntiEntropy(
            Environment environment,
            LocalReplica local,
            RepairPeers peers,
            Repair options,
            Duration startPatience,
            PartitionReadBarrier barrier,
            Set<NodeId> lostNodes,
            ClusterView view) {
        this.environment = environment;
        this.self = view.self();
        this.local = local;
        this.peers = peers;
        this.options = options;
        this.roles = new PartitionRoles(view);
        this.catchUpPause = new RetryPause(environment, this::catchUp);
        this.throttle = new Throttle(environment, options::bytesPerSecond, this::isClosed);
        this.counters = new RepairCounters(self);
        this.barrier = barrier;
        this.orphaned = new OrphanedPartitions(local.partitions());
        this.seals = new long[local.partitions()];
        this.watermarkExchange = new PurgeWatermarkExchange(
                environment, self, local, peers, throttle, barrier, roles.others(roles.held()), startPatience);
        this.sessionContext = new SessionContext(
                environment,
                local,
                peers,
                throttle,
                options,
                counters,
                self,
                Set.copyOf(lostNodes),
                watermarkExchange::askAbout);
        this.treeBuild = new HashTreeBuild(environment, local, throttle, counters, this::scheduleNext);
    }

    /**
     * Begins to follow the store, before the first change. The hash trees of its content are built in the background.
     *
     * @throws io.dht4j.spi.StoreException if the store cannot be read
     */
    public void start() {
        local.rollbacks().start(new RollbackListener(watermarkExchange, this::returned, this::catchUp));
        watermarkExchange.begin();
        treeBuild.start();
    }

    /**
     * Handles a reply of a node to any request. Quick.
     *
     * @param node the node
     */
    public void answered(NodeId node) {
        watermarkExchange.answered(node);
    }

    /**
     * Follows a view that is installed. Sessions that begin later work with its replicas. Stops waiting for partitions
     * that this node no longer replicates.
     *
     * @param view the current view
     */
    public void follow(ClusterView view) {
        PartitionRoles now = new PartitionRoles(view);
        PartitionSet before = repairable();
        roles = now;
        counters.retain(now.held());
        if (local.rollbacks().follow(view)) {
            throttle.runOnStore(local::writeRollbacks).exceptionally(error -> {
                LOG.warn(
                        "the store still names partitions to be repaired that have moved away: {}",
                        FileFailure.inWords(DhtException.unwrap(error)));
                return null;
            });
        }
        watermarkExchange.follow(now.others(now.held()));
        if (!repairable().minus(before).isEmpty()) {
            catchUp();
        }
    }

    /** Exchanges purge watermarks with the other nodes; called once this node serves their requests. */
    public void exchangeWatermarks() {
        watermarkExchange.askAll();
    }

    /** Repairs rolled-back partitions, after the current session if there is one. */
    private synchronized void catchUp() {
        if (closed || local.rollbacks().rolledBack().isEmpty()) {
            return;
        }
        PartitionSet some = repairable();
        if (some.isEmpty()) {
            catchUpPause.begin();
        } else if (running || !local.isReady()) {
            requested = requested.union(some);
        } else {
            begin(some);
        }
    }

    /** Handles an answer of a node that a rolled-back partition waits for. */
    private synchronized void returned(String name) {
        if (missed.stream().anyMatch(node -> node.value().equals(name))) {
            catchUp();
        }
    }

    /**
     * Returns the rolled-back partitions that can be repaired now. Lost ones are refilled first, which costs less;
     * incoming ones become complete with their copy.
     */
    private PartitionSet repairable() {
        return PartitionSet.of(local.rollbacks().rolledBack().keySet())
                .minus(barrier.of(PartitionReadBarrier.Reason.LOST))
                .intersection(roles.held());
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void scheduleNext() {
        if (closed || running) {
            return;
        }
        catchUpPause.beginAfter(local.rollbacks().rolledBack().size());
        if (!requested.isEmpty()) {
            PartitionSet now = requested;
            requested = PartitionSet.empty();
            begin(now);
        } else if (options.enabled() && timer == null) {
            // Spread, so that nodes do not begin at the same time.
            long interval = options.interval().toNanos();
            long delay = interval / 2 + (long) (environment.random().nextDouble() * interval);
            timer = environment.schedule(this::beginScheduled, delay);
        }
    }

    private synchronized void beginScheduled() {
        timer = null;
        if (!running && !closed) {
            PartitionRoles now = roles;
            // No session seals a partition that moves.
            begin(now.coordinated(peers::isSuspected, orphaned.after(seals).minus(now.moving())));
        }
    }

    /**
     * Requests a session over some partitions, after the current one if there is one.
     *
     * @param asked the partitions; empty for all that this node is a replica of
     * @return the status now
     * @throws DhtException if this node is no replica of one of them, or is closed
     */
    public RepairStatus repair(PartitionSet asked) {
        PartitionRoles now = roles;
        PartitionSet chosen = asked.isEmpty() ? now.held() : asked;
        PartitionSet foreign = chosen.minus(now.held());
        if (!foreign.isEmpty()) {
            throw DhtException.of(
                    ErrorCode.BAD_REQUEST,
                    "node " + self + " is no replica of partition " + foreign.toArray()[0] + " (of " + now.partitions()
                            + ")");
        }
        synchronized (this) {
            if (closed) {
                throw new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed");
            }
            if (running || !local.isReady()) {
                requested = requested.union(chosen);
            } else {
                cancelTimer();
                begin(chosen);
            }
        }
        return status();
    }

    /**
     * Returns the status of repair.
     *
     * @return the status now; a waiting request counts as running
     */
    public synchronized RepairStatus status() {
        return counters.status(!requested.isEmpty());
    }

    /**
     * Returns the status of rolled-back partitions, which must be repaired before they are read.
     *
     * @return the status now
     */
    public synchronized RefillStatus refillStatus() {
        int left = local.rollbacks().rolledBack().size();
        return new RefillStatus(
                left,
                counters.refilled(),
                left == 0
                        ? List.of()
                        : missed.stream()
                                .sorted(Comparator.comparing(NodeId::value))
                                .toList());
    }

    /** Begins a session, which includes the rolled-back partitions. Called with the lock held. */
    private void begin(PartitionSet asked) {
        PartitionRoles current = roles;
        PartitionSet chosen = repairable().union(asked.intersection(current.held()));
        catchUpPause.cancel();
        running = true;
        counters.sessionBegan(chosen.cardinality());
        CompletableFuture<Void> session;
        try {
            // On a thread of this node, never a caller's.
            session = throttle.rest(0).thenCompose(rested -> runSession(chosen, current));
        } catch (RejectedExecutionException e) {
            session = CompletableFuture.failedFuture(e);
        }
        session.whenComplete((done, error) -> ended(Optional.ofNullable(error)));
    }

    private void ended(Optional<Throwable> error) {
        Optional<String> why = error.map(DhtException::unwrap)
                .map(cause -> cause instanceof RepairException
                        ? String.valueOf(cause.getMessage())
                        : FileFailure.inWords(cause));
        counters.sessionEnded(why);
        synchronized (this) {
            running = false;
            if (closed) {
                return;
            }
        }
        why.ifPresent(message -> LOG.info("a repair session ended early, the next one continues: {}", message));
        error.map(DhtException::unwrap)
                .filter(cause -> !(cause instanceof RepairException))
                .ifPresent(cause -> LOG.warn("a repair session failed", cause));
        scheduleNext();
    }

    private CompletableFuture<Void> runSession(PartitionSet chosen, PartitionRoles current) {
        long sealMillis = environment.currentTimeMillis() - options.purgeAfter().toMillis();
        RepairSession session = new RepairSession(sessionContext, newSeal(sealMillis), chosen, current);
        return throttle.runOnStore(this::prepare)
                .thenCompose(settled -> session.run().whenComplete((done, error) -> {
                    setMissed(session.missed());
                    repeatIf(session.isStale(), chosen);
                }));
    }

    /** Requests a session again that has ended because of changed replicas, a few times at most. */
    private synchronized void repeatIf(boolean stale, PartitionSet chosen) {
        repetitions = stale ? repetitions + 1 : 0;
        if (stale && repetitions <= MAX_REPETITIONS) {
            requested = requested.union(chosen);
        }
    }

    /**
     * Reads the seals and settles the store. Precedes all requests: a node with a failing store seals no partitions,
     * since it could not repair them and others would wait for it.
     */
    private void prepare() {
        // May wait for a write in flight.
        long[] now = local.seals();
        synchronized (this) {
            seals = now;
        }
        try {
            local.settle();
        } catch (StoreException e) {
            throw new RepairException(ErrorCode.STORE_FAILED, "node " + self + ": " + e.getMessage());
        }
    }

    private synchronized void setMissed(Set<NodeId> nodes) {
        missed = Set.copyOf(nodes);
    }

    /** Returns a seal with a random counter, so that sessions of the same millisecond have different seals. */
    private Version newSeal(long millis) {
        return Version.of(Math.max(0, millis), environment.random().nextInt(Version.MAX_COUNTER + 1));
    }

    /** Begins no further sessions. The current one ends with its next step. */
    public void close() {
        watermarkExchange.close();
        stopScheduling();
        treeBuild.close();
    }

    private synchronized void stopScheduling() {
        closed = true;
        cancelTimer();
        catchUpPause.cancel();
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
