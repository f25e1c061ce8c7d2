package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.Pace;
import io.dht4j.core.internal.repair.Progress;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairLimits;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import io.dht4j.core.internal.repair.tree.HashTreeBuild;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.spi.Environment;
import io.dht4j.spi.StoreException;
import java.time.Duration;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs partitions in the background, and on request. The coordinator of a partition is its first replica, or the
 * first one that is not suspected. Another replica takes over when {@linkplain OrphanedPartitions no session has begun}
 * for some time. The coordinator compares its replica with each of the others, one node after the other, and reconciles
 * both sides. If it has received entries, it compares the earlier nodes again. When all replicas of a partition took
 * part and none lacked anything older than the seal, they fence the partition. Dead entries older than that are purged.
 *
 * <p>Partitions of a rolled-back disk are repaired at once, and repeatedly until they have been compared with all other
 * replicas. Until then reads of them are refused.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class AntiEntropy {

    private static final Logger LOG = LoggerFactory.getLogger(AntiEntropy.class);

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofSeconds(1), Duration.ofSeconds(30));

    private final Environment environment;
    private final NodeId self;
    private final LocalReplica content;
    private final RepairPeers peers;
    private final RepairLimits limits;
    private final IntFunction<List<Node>> replicas;
    private final int partitions;
    private final Pace pace;
    private final Progress progress;
    private final PartitionReadBarrier unfilled;
    private final Set<NodeId> givenUp;
    private final PurgeWatermarkExchange startCheck;
    private final HashTreeBuild addingUp;

    // Guarded by this.
    private final OrphanedPartitions neglected;

    /** The seals at the beginning of the last session. */
    private long[] seals;

    private boolean running;
    private boolean closed;
    /** Partitions requested during a session. */
    private BitSet wanted = new BitSet();

    private Environment.@Nullable Timer timer;

    /** The timer of the next attempt to repair rolled-back partitions. */
    private Environment.@Nullable Timer again;

    /** The number of attempts since the last one that made progress. */
    private int attempts;

    /** The number of rolled-back partitions at the last attempt. */
    private int overtaken;

    private Set<NodeId> missed = Set.of();

    /**
     * Creates a repair that has not begun.
     *
     * @param environment time, randomness, timers and store threads
     * @param self this node
     * @param content this node's replicas
     * @param peers the other replicas
     * @param limits the limits of repair
     * @param unfilled refuses reads of partitions
     * @param givenUp other nodes that a rolled-back partition does not wait for
     * @param partitions the number of partitions
     * @param replicas returns the replicas of each partition, in their order
     */
    public AntiEntropy(
            Environment environment,
            NodeId self,
            LocalReplica content,
            RepairPeers peers,
            RepairLimits limits,
            PartitionReadBarrier unfilled,
            Set<NodeId> givenUp,
            int partitions,
            IntFunction<List<Node>> replicas) {
        this.environment = environment;
        this.self = self;
        this.content = content;
        this.peers = peers;
        this.limits = limits;
        this.partitions = partitions;
        this.replicas = replicas;
        this.pace = new Pace(environment, limits.bytesPerSecond(), this::isClosed);
        this.progress = new Progress(self);
        this.unfilled = unfilled;
        this.givenUp = Set.copyOf(givenUp);
        this.neglected = new OrphanedPartitions(partitions);
        this.seals = new long[partitions];
        BitSet held = new BitSet();
        for (int i = 0; i < partitions; i++) {
            held.set(i, isReplica(i));
        }
        this.startCheck = new PurgeWatermarkExchange(
                environment, self, content, peers, pace, unfilled, others(held), limits.startPatience());
        this.addingUp = new HashTreeBuild(environment, content, pace, progress, this::scheduleRound);
    }

    /**
     * Begins to follow the store, before anything is applied to it. The hash trees of its content are built in the
     * background.
     *
     * @throws io.dht4j.spi.StoreException if the store cannot be read
     */
    public void start() {
        content.setBack().follow(new RollbackDetector.Listener() {
            @Override
            public void heard(String from, BitSet some) {
                startCheck.heard(from, some);
                returned(from);
            }

            @Override
            public void claimed(String from, BitSet some) {
                startCheck.claimed(from, some);
            }

            @Override
            public void doubted(BitSet some) {
                startCheck.doubted(some);
            }

            @Override
            public void overtaken() {
                catchUp();
            }
        });
        startCheck.begin();
        addingUp.start();
    }

    /**
     * Handles a reply of a node to any request. Quick.
     *
     * @param node the node
     */
    public void answered(NodeId node) {
        startCheck.answered(node);
    }

    /** Exchanges purge watermarks with the other nodes; called once this node serves their requests. */
    public void askOthers() {
        startCheck.ask();
    }

    /** Repairs rolled-back partitions, after the current session if there is one. */
    private synchronized void catchUp() {
        if (closed || content.setBack().overtaken().isEmpty()) {
            return;
        }
        BitSet some = behind();
        if (some.isEmpty()) {
            cancel(again);
            again = environment.schedule(this::catchUp, BACKOFF.baseNanos());
        } else if (running || !content.isReady()) {
            wanted.or(some);
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

    /** Returns the rolled-back partitions that can be repaired now. Lost ones are refilled first, which costs less. */
    private BitSet behind() {
        BitSet some = new BitSet();
        content.setBack().overtaken().keySet().forEach(some::set);
        some.andNot(unfilled.of(PartitionReadBarrier.Why.LOST));
        return some;
    }

    /**
     * Schedules the next attempt, after a longer time than the last one unless that made progress. Called with the lock
     * held.
     */
    private void catchUpLater() {
        int left = content.setBack().overtaken().size();
        attempts = left < overtaken ? 0 : attempts + 1;
        overtaken = left;
        if (left > 0) {
            cancel(again);
            again = environment.schedule(this::catchUp, BACKOFF.nanos(attempts));
        }
    }

    private static void cancel(Environment.@Nullable Timer some) {
        if (some != null) {
            some.cancel();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void scheduleRound() {
        if (closed || running) {
            return;
        }
        catchUpLater();
        if (!wanted.isEmpty()) {
            BitSet now = wanted;
            wanted = new BitSet();
            begin(now);
        } else if (limits.enabled() && timer == null) {
            // Spread, so that nodes do not begin at the same time.
            long interval = limits.interval().toNanos();
            long delay = interval / 2 + (long) (environment.random().nextDouble() * interval);
            timer = environment.schedule(this::scheduledRound, delay);
        }
    }

    private synchronized void scheduledRound() {
        timer = null;
        if (!running && !closed) {
            begin(coordinated());
        }
    }

    /** Returns the partitions that this node coordinates. Called with the lock held. */
    private BitSet coordinated() {
        BitSet leftAlone = neglected.after(seals);
        BitSet coordinated = new BitSet();
        for (int partition = 0; partition < partitions; partition++) {
            for (Node replica : replicas.apply(partition)) {
                if (replica.id().equals(self)) {
                    coordinated.set(partition);
                    break;
                }
                if (!peers.isSuspected(replica) && !leftAlone.get(partition)) {
                    break;
                }
            }
        }
        return coordinated;
    }

    /** Returns whether this node is a replica of a partition. */
    private boolean isReplica(int partition) {
        return replicas.apply(partition).stream().anyMatch(node -> node.id().equals(self));
    }

    /**
     * Requests a session over some partitions, after the current one if there is one.
     *
     * @param asked the partitions; empty for all that this node is a replica of
     * @return the status now
     * @throws DhtException if this node is no replica of one of them, or is closed
     */
    public RepairStatus repair(BitSet asked) {
        BitSet chosen = new BitSet();
        for (int partition = 0; partition < partitions; partition++) {
            chosen.set(partition, isReplica(partition) && (asked.isEmpty() || asked.get(partition)));
        }
        BitSet foreign = (BitSet) asked.clone();
        foreign.andNot(chosen);
        if (!foreign.isEmpty()) {
            throw DhtException.of(
                    ErrorCode.BAD_REQUEST,
                    "node " + self + " is no replica of partition " + foreign.nextSetBit(0) + " (of " + partitions
                            + ")");
        }
        synchronized (this) {
            if (closed) {
                throw new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed");
            }
            if (running || !content.isReady()) {
                wanted.or(chosen);
            } else {
                cancel(timer);
                timer = null;
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
        return progress.status(!wanted.isEmpty());
    }

    /**
     * Returns the status of rolled-back partitions, which must be repaired before they are read.
     *
     * @return the status now
     */
    public synchronized RefillStatus refillStatus() {
        int left = content.setBack().overtaken().size();
        return new RefillStatus(
                left,
                progress.refilled(),
                left == 0
                        ? List.of()
                        : missed.stream()
                                .sorted(Comparator.comparing(NodeId::value))
                                .toList());
    }

    /** Begins a session, which includes the rolled-back partitions. Called with the lock held. */
    private void begin(BitSet asked) {
        BitSet chosen = behind();
        chosen.or(asked);
        cancel(again);
        running = true;
        progress.began(chosen.cardinality());
        CompletableFuture<Void> round;
        try {
            // On a thread of this node, never a caller's.
            round = pace.rest(0).thenCompose(rested -> round(chosen));
        } catch (RejectedExecutionException e) {
            round = CompletableFuture.failedFuture(e);
        }
        round.whenComplete((done, error) -> ended(Optional.ofNullable(error)));
    }

    private void ended(Optional<Throwable> error) {
        Optional<String> why = error.map(DhtException::unwrap)
                .map(cause -> cause instanceof RepairException ? String.valueOf(cause.getMessage()) : cause.toString());
        progress.ended(why);
        synchronized (this) {
            running = false;
            if (closed) {
                return;
            }
        }
        why.ifPresent(message -> LOG.info("a round of repair ended early, the next one goes on: {}", message));
        error.map(DhtException::unwrap)
                .filter(cause -> !(cause instanceof RepairException))
                .ifPresent(cause -> LOG.warn("a round of repair failed", cause));
        scheduleRound();
    }

    private CompletableFuture<Void> round(BitSet chosen) {
        long sealed = environment.currentTimeMillis() - limits.purgeAfter().toMillis();
        RepairSession.Tools tools = new RepairSession.Tools(
                environment, content, peers, pace, limits, progress, self, givenUp, startCheck::askAbout);
        RepairSession round = new RepairSession(tools, newVersion(sealed), chosen, others(chosen));
        return pace.runOnStore(this::prepare)
                .thenCompose(settled -> round.run().whenComplete((done, error) -> setMissed(round.missed())));
    }

    /**
     * Reads the seals and settles the store. Comes before any request: a node whose store fails must not seal
     * partitions that it cannot repair, since others would wait for it.
     */
    private void prepare() {
        // May wait for a write in flight.
        long[] now = content.seals();
        synchronized (this) {
            seals = now;
        }
        try {
            content.settle();
        } catch (StoreException e) {
            throw new RepairException(ErrorCode.STORE_FAILED, "node " + self + ": " + e.getMessage());
        }
    }

    private synchronized void setMissed(Set<NodeId> nodes) {
        missed = Set.copyOf(nodes);
    }

    /** Returns a seal with a random counter, so that sessions of the same millisecond have different seals. */
    private Version newVersion(long millis) {
        return Version.of(Math.max(0, millis), environment.random().nextInt(Version.MAX_COUNTER + 1));
    }

    /** Returns the other replicas of some partitions, each with its partitions. */
    private Map<Node, BitSet> others(BitSet chosen) {
        Map<Node, BitSet> others = new LinkedHashMap<>();
        for (int i = chosen.nextSetBit(0); i >= 0; i = chosen.nextSetBit(i + 1)) {
            for (Node node : replicas.apply(i)) {
                if (!node.id().equals(self)) {
                    others.computeIfAbsent(node, other -> new BitSet()).set(i);
                }
            }
        }
        return others;
    }

    /** Begins no more sessions. The current one ends with its next step. */
    public void close() {
        startCheck.close();
        closeRounds();
        addingUp.close();
    }

    private synchronized void closeRounds() {
        closed = true;
        cancel(timer);
        cancel(again);
    }
}
