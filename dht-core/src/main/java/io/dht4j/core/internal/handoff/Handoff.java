package io.dht4j.core.internal.handoff;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.StoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the writes that replicas missed, and hands them over when they answer again: hinted handoff, after G. DeCandia et al., <em>Dynamo: Amazon's
 * Highly Available Key-value Store</em>, 2007, 4.6. Unlike there, a hint never counts towards {@code ack}. Whatever cannot be kept, for want of room or
 * because the log fails, is dropped, counted and logged: the repair of what reads find, and in the background, makes up for it.
 *
 * <p>Does not block, but for {@link #close}; safe for use by any number of threads.
 */
public final class Handoff {

    private static final Logger LOG = LoggerFactory.getLogger(Handoff.class);
    /** Dropped hints are logged no more often than this. */
    private static final long TELL_NANOS = 10_000_000_000L;

    private final Environment environment;
    private final HintLog log;
    private final HandoffLimits limits;
    private final Admission waiting;
    private final Map<NodeId, Replay> replays = new HashMap<>();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong toldNanos;

    /**
     * Handoff that has not begun.
     *
     * @param environment time, timers and store threads
     * @param nodes who may miss something: all nodes but this one
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
        }
    }

    /** Goes on with what the log holds from before. Does not wait for it. */
    public void start() {
        onStoreThread(() -> log.targets().forEach(target -> {
            Replay replay = replays.get(target);
            if (replay != null) {
                replay.hinted();
            } else {
                LOG.warn(
                        "there are hints for {}, which is no other node of this cluster; they stay until they expire",
                        target);
            }
        }));
    }

    /**
     * Keeps what a node missed.
     *
     * @param node who missed it
     * @param entries with the versions that they were given
     */
    public void missed(Node node, List<Entry> entries) {
        Replay replay = replays.get(node.id());
        if (!limits.enabled() || replay == null) {
            return;
        }
        long bytes = 0;
        for (Entry entry : entries) {
            bytes += (long) entry.key().length() + entry.value().length;
        }
        try {
            waiting.enter(bytes);
        } catch (DhtException e) {
            drop(node, entries.size(), String.valueOf(e.getMessage()));
            return;
        }
        long taken = bytes;
        boolean handed = onStoreThread(() -> {
            try {
                keep(node, entries);
            } finally {
                waiting.leave(taken);
            }
            replay.hinted();
        });
        if (!handed) {
            waiting.leave(taken);
            drop(node, entries.size(), "this node is closing");
        }
    }

    private void keep(Node node, List<Entry> entries) {
        try {
            if (!log.add(node.id(), entries, environment.currentTimeMillis())) {
                drop(node, entries.size(), "the log of hints is full, with " + log.bytes() + " bytes");
            }
        } catch (StoreException e) {
            drop(node, entries.size(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * A node has answered, whatever it was asked: a sign that it is there. Costs next to nothing when no hints wait for it.
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
    void drop(Node node, long hints, String why) {
        long count = dropped.addAndGet(hints);
        long told = toldNanos.get();
        long now = environment.nanoTime();
        if (now - told >= TELL_NANOS && toldNanos.compareAndSet(told, now)) {
            LOG.warn(
                    "hints for {} were dropped, {} in all since the start: {}; it catches up by repair",
                    node.id(),
                    count,
                    why);
        }
    }

    /**
     * How many hints were dropped since the start.
     *
     * @return 0 or more
     */
    public long dropped() {
        return dropped.get();
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
                } catch (StoreException e) {
                    LOG.error("the log of hints failed: {}", e.getMessage(), e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /**
     * Hands over what can be handed over at once, before an orderly shutdown.
     *
     * @return completes when every node has got its hints, or does not take them
     */
    public CompletableFuture<Void> drain() {
        return CompletableFuture.allOf(
                replays.values().stream().map(Replay::drain).toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Sends nothing more. What is left stays in the log.
     *
     * @throws StoreException if the log cannot be closed well
     */
    public void close() {
        replays.values().forEach(Replay::close);
        log.close();
    }
}
