package io.dht4j.core.internal.handoff;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HintLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the writes that replicas missed, and hands them over when they answer again: hinted handoff, after G. DeCandia
 * et al., <em>Dynamo: Amazon's Highly Available Key-value Store</em>, 2007, 4.6. Unlike there, a hint never counts
 * towards {@code ack}. Whatever cannot be kept, for want of room or because the log fails, is dropped, counted and
 * logged; reads that find the replica behind make up for it.
 *
 * <p>Does not block, but for {@link #close}; safe for use by any number of threads.
 */
public final class Handoff {

    private static final Logger LOG = LoggerFactory.getLogger(Handoff.class);
    /** Dropped hints are logged no more often than this. */
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long EXPIRE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment environment;
    private final HintLog log;
    private final HandoffLimits limits;
    private final Admission waiting;
    private final Map<NodeId, Keeper> keepers = new HashMap<>();
    private final Map<NodeId, Replay> replays = new HashMap<>();
    private final AtomicLong droppedBytes = new AtomicLong();
    private final AtomicLong toldNanos;
    private final AtomicBoolean expiring = new AtomicBoolean();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean draining;
    private volatile boolean closed;

    /**
     * Handoff that has not begun.
     *
     * @param environment time, timers and store threads
     * @param nodes who may miss something: all nodes, and so this one too if it is a replica
     * @param log where hints are; owned and closed by this
     * @param limits the numbers it runs by
     * @param sender brings hints to their nodes
     */
    public Handoff(Environment environment, List<Node> nodes, HintLog log, HandoffLimits limits, HintSender sender) {
        this.environment = environment;
        this.log = log;
        this.limits = limits;
        this.waiting = new Admission("missed writes to be kept", limits.maxWaiting(), limits.maxWaitingBytes());
        this.toldNanos = new AtomicLong(environment.nanoTime() - TELL_NANOS);
        for (Node node : nodes) {
            replays.put(node.id(), new Replay(this, environment, node, log, limits, sender));
            keepers.put(node.id(), new Keeper(this, node, waiting));
        }
    }

    /** Goes on with what the log holds from before. Does not wait for it. */
    public void start() {
        if (!limits.enabled()) {
            return;
        }
        onStoreThread(() -> {
            try {
                expire();
            } finally {
                goOn();
            }
        });
    }

    private void goOn() {
        for (NodeId target : log.targets()) {
            Replay replay = replays.get(target);
            if (replay != null) {
                replay.hinted();
            } else {
                LOG.warn(
                        "there are hints for {}, which is no node of this cluster; they stay until they expire",
                        target);
            }
            expireLater();
        }
    }

    /**
     * Keeps what a node missed.
     *
     * @param node who missed it
     * @param entries with the versions that they were given
     */
    public void missed(Node node, List<Entry> entries) {
        Keeper keeper = keepers.get(node.id());
        if (!limits.enabled() || keeper == null) {
            return;
        }
        long bytes = bytes(entries);
        try {
            waiting.enter(bytes);
        } catch (DhtException e) {
            drop(node, bytes, String.valueOf(e.getMessage()));
            return;
        }
        keeper.keep(entries, bytes);
    }

    /** How many bytes of keys and values some entries have. */
    static long bytes(List<Entry> entries) {
        long bytes = 0;
        for (Entry entry : entries) {
            bytes += (long) entry.key().length() + entry.value().length;
        }
        return bytes;
    }

    /** Writes entries to the log, or drops them. On a store thread. */
    void log(Node node, List<Entry> entries) {
        try {
            if (log.add(node.id(), entries, environment.currentTimeMillis())) {
                Objects.requireNonNull(replays.get(node.id())).hinted();
                expireLater();
            } else {
                drop(node, bytes(entries), "the log of hints is full, with " + log.bytes() + " bytes");
            }
        } catch (RuntimeException | Error e) {
            // What cannot be kept must not keep others from being kept.
            drop(node, bytes(entries), String.valueOf(e));
        }
    }

    private void expireLater() {
        if (!closed && expiring.compareAndSet(false, true)) {
            environment.schedule(
                    () -> onStoreThread(() -> {
                        expiring.set(false);
                        try {
                            expire();
                        } finally {
                            // Also when it failed: what is old by then is forgotten the next time.
                            if (log.bytes() > 0) {
                                expireLater();
                            }
                        }
                    }),
                    EXPIRE_NANOS);
        }
    }

    private void expire() {
        long bytes =
                log.expire(environment.currentTimeMillis() - limits.maxAge().toMillis());
        if (bytes > 0) {
            tell(bytes, "hints were older than " + limits.maxAge());
        }
    }

    /**
     * A node has answered, whatever it was asked: a sign that it is there. Costs next to nothing when no hints wait for
     * it.
     *
     * @param node who answered
     */
    public void answered(NodeId node) {
        Replay replay = replays.get(node);
        if (replay != null) {
            replay.answered();
        }
    }

    /** Counts hints that are not, or no longer, kept. */
    void drop(Node node, long bytes, String why) {
        tell(bytes, "hints for " + node.id() + ": " + why);
    }

    private void tell(long bytes, String what) {
        droppedBytes.addAndGet(bytes);
        long told = toldNanos.get();
        long now = environment.nanoTime();
        if (now - told >= TELL_NANOS && toldNanos.compareAndSet(told, now)) {
            LOG.warn(
                    "hints were dropped, {} bytes in all since the start; {}. Background repair brings what is "
                            + "missing, at once if"
                            + " it is asked to (Cluster.repair, ./dht repair)",
                    droppedBytes(),
                    what);
        }
    }

    /**
     * How much was dropped since the start, or lost by the log.
     *
     * @return bytes of keys and values, by estimate; 0 or more
     */
    public long droppedBytes() {
        return droppedBytes.get() + log.lostBytes();
    }

    /**
     * How much waits to be handed over.
     *
     * @return bytes, by the log's estimate
     */
    public long bytes() {
        return log.bytes();
    }

    /** Runs a task on a store thread; false if they have ended. */
    boolean onStoreThread(Runnable task) {
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    // An error too: nothing else would tell of it.
                    if (!closed) {
                        LOG.error("the log of hints failed: {}", e.getMessage(), e);
                    }
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /**
     * Hands over what can be handed over soon, before an orderly shutdown. What a node does not take is tried again
     * shortly after, unless the node is suspected not to answer.
     *
     * @param atMost what is not taken is not tried again later; zero or more
     * @return completes when nothing waits to be kept, and every node has got its hints, or is not tried again; by
     *     {@link #close} at the latest
     */
    public CompletableFuture<Void> drain(Duration atMost) {
        long endNanos = environment.nanoTime() + atMost.toNanos();
        draining = true;
        replays.values().forEach(replay -> replay.drain(endNanos));
        rested();
        return drained;
    }

    /** Something has come to rest: perhaps it was the last. */
    void rested() {
        if (draining && waiting.inside() == 0 && replays.values().stream().allMatch(Replay::isAtRest)) {
            drained.complete(null);
        }
    }

    /**
     * Keeps nothing more but what has been handed to it.
     *
     * @return completes when that is in the log, or dropped
     */
    public CompletableFuture<Void> settle() {
        return waiting.close();
    }

    /**
     * Sends nothing more. What is left stays in the log.
     *
     * @throws io.dht4j.spi.StoreException if the log cannot be closed well
     */
    public void close() {
        closed = true;
        replays.values().forEach(Replay::close);
        drained.complete(null);
        log.close();
    }
}
