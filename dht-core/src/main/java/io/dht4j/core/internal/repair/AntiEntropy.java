package io.dht4j.core.internal.repair;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RepairStatus;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs partitions in the background, and when asked to. Each partition is repaired by its first replica, or the first one that is not suspected: that one
 * compares its content with each of the others, one node after the other, and brings both sides together. If it got something on the way, those
 * whom it had compared before are compared again. When all replicas of a partition took part and none lacked anything older than the margin, they fence it, and what is dead
 * there and older is purged.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class AntiEntropy {

    private static final Logger LOG = LoggerFactory.getLogger(AntiEntropy.class);

    /** So often others are compared again because something was received from a later one. */
    private static final int MAX_PASSES = 3;

    private final Environment environment;
    private final NodeId self;
    private final Content content;
    private final RepairPeers peers;
    private final RepairLimits limits;
    private final IntFunction<List<Node>> replicas;
    private final int partitions;
    private final Pace pace;
    private final Progress progress;

    // Guarded by this.
    private boolean running;
    private boolean closed;
    /** What somebody has asked for while a round was under way. */
    private BitSet wanted = new BitSet();

    private Environment.@Nullable Timer timer;

    /** What was held at the start, as long as it is added up. */
    private @Nullable EntryCursor building;

    /**
     * Repair that has not begun.
     *
     * @param environment time, chance, timers and store threads
     * @param self this node
     * @param content what it holds
     * @param peers the other replicas
     * @param limits the numbers it runs by
     * @param partitions how many partitions there are
     * @param replicas of each partition, in their order
     */
    public AntiEntropy(
            Environment environment,
            NodeId self,
            Content content,
            RepairPeers peers,
            RepairLimits limits,
            int partitions,
            IntFunction<List<Node>> replicas) {
        this.environment = environment;
        this.self = self;
        this.content = content;
        this.peers = peers;
        this.limits = limits;
        this.partitions = partitions;
        this.replicas = replicas;
        this.pace = new Pace(environment, limits.bytesPerSecond());
        this.progress = new Progress(self);
    }

    /**
     * Begins to follow the store, before anything is applied to it. What it holds already is added up in the background.
     *
     * @throws io.dht4j.spi.StoreException if the store cannot be read
     */
    public void start() {
        EntryCursor held = content.follow();
        building = held;
        if (content.isMemoryFast()) {
            while (content.build(held)) {
                LOG.debug("adding up what a store in memory brought along");
            }
            held.close();
            scheduleRound();
        } else {
            build(held);
        }
    }

    private void build(EntryCursor held) {
        pace.paced(0, () -> pace.onStore(() -> content.build(held))).whenComplete((more, error) -> {
            if (error != null) {
                held.close();
                if (!isClosed()) {
                    LOG.error("this node cannot add up what it holds, so nothing is repaired: {}", error.toString());
                }
            } else if (more && !isClosed()) {
                build(held);
            } else {
                held.close();
                scheduleRound();
            }
        });
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void scheduleRound() {
        if (closed) {
            return;
        }
        if (!wanted.isEmpty()) {
            BitSet now = wanted;
            wanted = new BitSet();
            begin(now);
        } else if (limits.enabled()) {
            // Not all nodes at the same time.
            long interval = limits.interval().toNanos();
            long delay = interval / 2 + (long) (environment.random().nextDouble() * interval);
            timer = environment.schedule(this::scheduledRound, delay);
        }
    }

    private synchronized void scheduledRound() {
        if (!running && !closed) {
            begin(coordinated());
        }
    }

    /** The partitions that it is on this node to repair. */
    private BitSet coordinated() {
        BitSet coordinated = new BitSet();
        for (int partition = 0; partition < partitions; partition++) {
            for (Node replica : replicas.apply(partition)) {
                if (replica.id().equals(self)) {
                    coordinated.set(partition);
                    break;
                }
                if (!peers.isSuspected(replica)) {
                    break;
                }
            }
        }
        return coordinated;
    }

    /** Whether this node is a replica of a partition. */
    private boolean isReplica(int partition) {
        return replicas.apply(partition).stream().anyMatch(node -> node.id().equals(self));
    }

    /**
     * Compares partitions with all their other replicas as soon as the round that may be under way has ended.
     *
     * @param asked which ones; empty for all that this node is a replica of
     * @return the state now
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
                if (timer != null) {
                    timer.cancel();
                }
                begin(chosen);
            }
        }
        return status();
    }

    /**
     * How far it is.
     *
     * @return the state now; a request that waits counts as running
     */
    public RepairStatus status() {
        return progress.status();
    }

    /** Begins a round; holding the lock. */
    private void begin(BitSet chosen) {
        running = true;
        progress.began(chosen.cardinality());
        CompletableFuture<Void> round;
        try {
            // On a thread of this node's own, and never inside of a caller's.
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
        Version seal = Version.of(
                Math.max(
                        0, environment.currentTimeMillis() - limits.purgeAfter().toMillis()),
                0);
        Round round = new Round(seal, chosen, shares(chosen));
        return pace.onStore(() -> content.seal(chosen, seal))
                .thenCompose(done -> look(round, 0))
                .thenCompose(done -> resolve(round, doubts(round), 0))
                .thenCompose(done -> join(round, round.shares, 0, 1))
                .thenCompose(done -> {
                    progress.completed(round.compared, environment.currentTimeMillis());
                    return purge(round);
                });
    }

    /** What a round knows of its partitions. */
    private static final class Round {
        final Version seal;
        final List<Share> shares;
        /** Where no replica lacked anything older than the seal, and all answered. */
        final BitSet clean;
        /** Compared with all other replicas, whatever was found. */
        final BitSet compared;

        @Nullable
        RuntimeException failure;

        Round(Version seal, BitSet chosen, List<Share> shares) {
            this.seal = seal;
            this.shares = shares;
            this.clean = (BitSet) chosen.clone();
            this.compared = (BitSet) chosen.clone();
        }
    }

    /** The partitions of a round that another node is a replica of too. */
    private static final class Share {
        final Node node;
        final BitSet partitions;
        /** Once both have looked. */
        @Nullable
        Comparison comparison;

        Share(Node node, BitSet partitions) {
            this.node = node;
            this.partitions = partitions;
        }
    }

    private List<Share> shares(BitSet chosen) {
        List<Share> shares = new ArrayList<>();
        for (int i = chosen.nextSetBit(0); i >= 0; i = chosen.nextSetBit(i + 1)) {
            for (Node node : replicas.apply(i)) {
                if (!node.id().equals(self)) {
                    share(shares, node).partitions.set(i);
                }
            }
        }
        return shares;
    }

    private static Share share(List<Share> shares, Node node) {
        for (Share share : shares) {
            if (share.node.equals(node)) {
                return share;
            }
        }
        Share share = new Share(node, new BitSet());
        shares.add(share);
        return share;
    }

    /** Seals the partitions everywhere, and takes a first look. A node that cannot be asked does not keep the others from being repaired. */
    private CompletableFuture<Void> look(Round round, int index) {
        if (index == round.shares.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Share share = round.shares.get(index);
        return look(round, share).thenCompose(done -> look(round, index + 1));
    }

    private CompletableFuture<Void> look(Round round, Share share) {
        if (isClosed()) {
            return CompletableFuture.failedFuture(new RepairException(ErrorCode.NOT_SERVING, "this node is closing"));
        }
        Comparison comparison = new Comparison(content, peers, pace, limits, share.node, round.seal, progress);
        return comparison.look(share.partitions).handle((done, error) -> {
            if (error != null) {
                fail(round, share, DhtException.unwrap(error));
            } else {
                share.comparison = comparison;
                if (!comparison.isSealed()) {
                    round.clean.andNot(share.partitions);
                }
            }
            return null;
        });
    }

    /** Partitions by how far their replicas may purge, where some do not know, or wait for the outcome of an earlier fence. */
    private List<Map.Entry<Version, BitSet>> doubts(Round round) {
        Map<Version, BitSet> doubts = new TreeMap<>();
        round.clean.stream().forEach(partition -> {
            Version purged = content.purged(partition);
            boolean doubtful = !purged.equals(content.fenced(partition));
            for (Share share : round.shares) {
                Comparison comparison = share.comparison;
                if (comparison != null && share.partitions.get(partition)) {
                    Version there = comparison.purgedThere(partition);
                    doubtful |= !there.equals(purged) || !there.equals(comparison.fencedThere(partition));
                    purged = there.compareTo(purged) > 0 ? there : purged;
                }
            }
            if (doubtful) {
                doubts.computeIfAbsent(purged, version -> new BitSet()).set(partition);
            }
        });
        return List.copyOf(doubts.entrySet());
    }

    private CompletableFuture<Void> resolve(Round round, List<Map.Entry<Version, BitSet>> doubts, int index) {
        if (index == doubts.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Version purged = doubts.get(index).getKey();
        BitSet partitions = doubts.get(index).getValue();
        return pace.onStore(() -> {
                    content.resolve(partitions, purged, round.seal);
                    round.shares.forEach(share -> tellPurged(share, partitions));
                    return partitions;
                })
                .thenCompose(done -> resolve(round, purged, partitions, 0))
                .thenCompose(done -> resolve(round, doubts, index + 1));
    }

    private void tellPurged(Share share, BitSet partitions) {
        Comparison comparison = share.comparison;
        if (comparison != null) {
            partitions.stream()
                    .filter(share.partitions::get)
                    .forEach(partition -> comparison.purgesHere(partition, content.purged(partition)));
        }
    }

    private CompletableFuture<Void> resolve(Round round, Version purged, BitSet partitions, int index) {
        if (index == round.shares.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Share share = round.shares.get(index);
        BitSet asked = (BitSet) share.partitions.clone();
        asked.and(partitions);
        Comparison comparison = share.comparison;
        if (comparison != null) {
            // Not those who never were as far: they lack what they must get first.
            for (int i = asked.nextSetBit(0); i >= 0; i = asked.nextSetBit(i + 1)) {
                asked.set(i, comparison.fencedThere(i).compareTo(purged) >= 0);
            }
        }
        if (comparison == null || asked.isEmpty()) {
            return resolve(round, purged, partitions, index + 1);
        }
        return peers.ask(share.node, new RepairRequest.Purge(asked, purged, round.seal))
                .handle((reply, error) -> {
                    if (error != null) {
                        fail(round, share, DhtException.unwrap(error));
                        share.comparison = null;
                    } else {
                        asked.stream().forEach(partition -> comparison.purges(partition, purged));
                    }
                    return null;
                })
                .thenCompose(done -> resolve(round, purged, partitions, index + 1));
    }

    /** Brings this node together with one other after the other. */
    private CompletableFuture<Void> join(Round round, List<Share> shares, int index, int pass) {
        if (index == shares.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Share share = shares.get(index);
        Comparison comparison = share.comparison;
        if (comparison == null) {
            return join(round, shares, index + 1, pass);
        }
        return comparison
                .run()
                .handle((result, error) -> {
                    if (error == null) {
                        round.clean.andNot(result.differingBeforeSeal());
                        round.clean.andNot(result.stuck());
                        round.compared.andNot(result.stuck());
                        return result.received();
                    }
                    fail(round, share, DhtException.unwrap(error));
                    return new BitSet();
                })
                .thenCompose(received -> {
                    List<Share> behind = narrowed(shares.subList(0, index), received);
                    return pass < MAX_PASSES ? again(round, behind, 0, pass + 1) : again(round, List.of(), 0, pass);
                })
                .thenCompose(done -> join(round, shares, index + 1, pass));
    }

    /** Looks again at those who lack what has been received from a later one. */
    private CompletableFuture<Void> again(Round round, List<Share> behind, int index, int pass) {
        if (index == behind.size()) {
            return join(round, behind, 0, pass);
        }
        return look(round, behind.get(index)).thenCompose(done -> again(round, behind, index + 1, pass));
    }

    private static void fail(Round round, Share share, Throwable cause) {
        round.clean.andNot(share.partitions);
        round.compared.andNot(share.partitions);
        round.failure = cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
    }

    private static List<Share> narrowed(List<Share> shares, BitSet partitions) {
        List<Share> narrowed = new ArrayList<>();
        for (Share share : shares) {
            BitSet both = (BitSet) share.partitions.clone();
            both.and(partitions);
            if (!both.isEmpty()) {
                narrowed.add(new Share(share.node, both));
            }
        }
        return narrowed;
    }

    /** Lets go what is dead and old where all replicas were equal, and keep others from bringing it back. */
    private CompletableFuture<Void> purge(Round round) {
        return fence(round, round.shares, 0)
                .thenCompose(done -> allow(round, round.shares, 0))
                .thenCompose(done -> pace.onStore(content::purge))
                .thenAccept(count -> {
                    progress.purged(count);
                    if (round.failure != null) {
                        throw round.failure;
                    }
                });
    }

    private CompletableFuture<Void> fence(Round round, List<Share> shares, int index) {
        if (index == shares.size()) {
            return pace.onStore(() -> content.fence(round.clean, round.seal)).thenAccept(round.clean::and);
        }
        Share share = shares.get(index);
        BitSet asked = (BitSet) share.partitions.clone();
        asked.and(round.clean);
        if (asked.isEmpty()) {
            return fence(round, shares, index + 1);
        }
        return peers.ask(share.node, new RepairRequest.Fence(asked, round.seal))
                .handle((reply, error) -> {
                    if (error == null) {
                        asked.andNot(((RepairReply.Fenced) reply).partitions());
                    } else {
                        round.failure = unexpected(error);
                    }
                    round.clean.andNot(asked);
                    return null;
                })
                .thenCompose(done -> fence(round, shares, index + 1));
    }

    private CompletableFuture<Void> allow(Round round, List<Share> shares, int index) {
        if (index == shares.size()) {
            return pace.onStore(() -> {
                content.allowPurge(round.clean, round.seal);
                return null;
            });
        }
        Share share = shares.get(index);
        BitSet asked = (BitSet) share.partitions.clone();
        asked.and(round.clean);
        if (asked.isEmpty()) {
            return allow(round, shares, index + 1);
        }
        return peers.ask(share.node, new RepairRequest.Purge(asked, round.seal, Content.NO_SEAL))
                .handle((reply, error) -> {
                    if (error != null) {
                        // It keeps its tombstones until a later round; nobody sends them to it or takes them from it.
                        round.failure = unexpected(error);
                    }
                    return null;
                })
                .thenCompose(done -> allow(round, shares, index + 1));
    }

    private static RuntimeException unexpected(Throwable error) {
        return DhtException.unwrap(error) instanceof RuntimeException known ? known : new IllegalStateException(error);
    }

    /** Begins nothing more. What is under way ends with the next step. */
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
        if (building != null) {
            building.close();
        }
    }
}
