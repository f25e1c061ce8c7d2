package io.dht4j.core.internal.handoff;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.observation.LogInterval;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.HintLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the writes that replicas missed, and delivers them when the replicas answer again: hinted handoff, after G.
 * DeCandia et al., <em>Dynamo: Amazon's Highly Available Key-value Store</em>, 2007, 4.6. Unlike there, a hint never
 * counts towards {@code ack}. A hint that cannot be kept, for lack of room or because the log fails, is dropped,
 * counted and logged. A read that finds the replica behind repairs it.
 *
 * <p>Does not block, except {@link #close}; safe for use by any number of threads.
 */
public final class Handoff {

    private static final Logger LOG = LoggerFactory.getLogger(Handoff.class);
    /** The shortest time between two log messages about dropped hints. */
    private static final long EXPIRE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long DROP_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int DROP_BYTES = 192 << 10;

    private final Environment environment;
    private final HintLog log;
    private final HintedHandoff options;
    private final Admission waiting;
    private final Map<NodeId, HintWriter> writers = new ConcurrentHashMap<>();
    private final Map<NodeId, Replay> replays = new ConcurrentHashMap<>();
    private final Function<Node, Replay> replayTo;
    private final AtomicLong droppedBytes = new AtomicLong();
    private final LogInterval logs;
    private final AtomicBoolean expiring = new AtomicBoolean();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    /** Whether hints for others than the nodes are dropped. */
    private final boolean dropsForeign;

    private volatile boolean draining;
    private volatile boolean closed;

    /**
     * Creates a handoff that has not begun.
     *
     * @param environment time, timers and store threads
     * @param nodes the nodes that may miss writes: all nodes, including this one if it is a replica
     * @param log stores the hints; owned and closed by the handoff
     * @param options whether hints are kept, for how long, and how fast they are delivered
     * @param dropsForeign whether hints for others than the nodes are dropped, as in an agreed cluster, where a removed
     *     node never returns; otherwise they stay until they expire
     * @param waiting limits the missed writes that wait to be written to the log
     * @param sender sends hints to their nodes
     * @param suspected returns whether a node will probably not answer
     */
    public Handoff(
            Environment environment,
            List<Node> nodes,
            HintLog log,
            HintedHandoff options,
            boolean dropsForeign,
            Admission waiting,
            HintSender sender,
            Predicate<Node> suspected) {
        this.environment = environment;
        this.log = log;
        this.options = options;
        this.dropsForeign = dropsForeign;
        this.waiting = waiting;
        this.logs = new LogInterval(environment::nanoTime);
        this.replayTo = node -> new Replay(this, environment, node, log, options, sender, suspected);
        nodes.forEach(this::add);
    }

    private void add(Node node) {
        replays.put(node.id(), replayTo.apply(node));
        writers.put(node.id(), new HintWriter(this, node, waiting));
    }

    /**
     * Follows a change of the nodes. New ones may miss writes. Hints for those that have left are dropped soon; one
     * with another address gets its hints there.
     *
     * @param now the nodes that may miss writes
     */
    public synchronized void follow(List<Node> now) {
        boolean left = false;
        Map<NodeId, Node> all = new HashMap<>();
        now.forEach(node -> all.put(node.id(), node));
        for (Replay replay : List.copyOf(replays.values())) {
            if (!replay.node().equals(all.get(replay.node().id()))) {
                replays.remove(replay.node().id());
                writers.remove(replay.node().id());
                replay.close();
                left |= !all.containsKey(replay.node().id());
            }
        }
        List<Node> added =
                now.stream().filter(node -> !replays.containsKey(node.id())).toList();
        added.forEach(this::add);
        if (!options.enabled() || closed) {
            return;
        }
        if (!added.isEmpty()) {
            onStoreThread(this::resume);
        }
        if (left) {
            // The tasks that may still use their hints have ended by then.
            environment.schedule(() -> onStoreThread(this::dropForeign), DROP_NANOS);
        }
    }

    private void dropForeign() {
        log.targets().stream().filter(target -> !replays.containsKey(target)).forEach(this::dropAll);
    }

    /** Drops the hints for a member that is no longer a node, a batch at a time. Runs on a store thread. */
    private void dropAll(NodeId target) {
        HintLog.Batch batch = log.oldest(target, DROP_BYTES);
        if (closed || replays.containsKey(target) || batch.entries().isEmpty()) {
            return;
        }
        log.delivered(target, batch);
        left(target, bytes(batch.entries()));
        onStoreThread(() -> dropAll(target));
    }

    /** Continues with the hints that are in the log at the start. Does not wait for the log. */
    public void start() {
        if (!options.enabled()) {
            return;
        }
        onStoreThread(() -> {
            try {
                expire();
            } finally {
                resume();
            }
            if (dropsForeign) {
                dropForeign();
            }
        });
    }

    private void resume() {
        for (NodeId target : log.targets()) {
            Replay replay = replays.get(target);
            if (replay != null) {
                replay.hinted();
            } else if (dropsForeign) {
                LOG.debug("there are hints for {}, which has left the cluster", target);
            } else {
                LOG.warn(
                        "there are hints for {}, which is no node of this cluster; they stay until they expire",
                        target);
            }
            expireLater();
        }
    }

    /**
     * Keeps a write that a node missed. The only node of a cluster gets no hints for itself: the caller has the
     * failure, and no other replica has the write.
     *
     * @param node the node that missed it
     * @param entries the entries, with their versions
     */
    public void missed(Node node, List<Entry> entries) {
        if (!options.enabled() || writers.size() == 1) {
            return;
        }
        HintWriter writer = writers.get(node.id());
        long bytes = bytes(entries);
        if (writer == null) {
            left(node.id(), bytes);
            return;
        }
        try {
            waiting.enter(bytes);
        } catch (DhtException e) {
            drop(node, bytes, String.valueOf(e.getMessage()));
            return;
        }
        writer.write(entries, bytes);
    }

    /** Returns the number of bytes of the keys and values of some entries. */
    static long bytes(List<Entry> entries) {
        long bytes = 0;
        for (Entry entry : entries) {
            bytes += entry.bytes();
        }
        return bytes;
    }

    /** Writes entries to the log, or drops them. Runs on a store thread. */
    void log(Node node, List<Entry> entries) {
        if (!writers.containsKey(node.id())) {
            left(node.id(), bytes(entries));
            return;
        }
        try {
            if (log.add(node.id(), entries, environment.currentTimeMillis())) {
                Replay replay = replays.get(node.id());
                if (replay != null) {
                    replay.hinted();
                }
                expireLater();
            } else {
                drop(node, bytes(entries), "the log of hints is full, with " + log.bytes() + " bytes");
            }
        } catch (RuntimeException | Error e) {
            // The failure of one group leaves the others unaffected.
            drop(node, bytes(entries), FileFailure.inWords(e));
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
                            // After a failure too: the next run removes the hints that have expired by then.
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
                log.expire(environment.currentTimeMillis() - options.maxAge().toMillis());
        if (bytes > 0) {
            countDropped(bytes, "hints were older than " + options.maxAge());
        }
    }

    /**
     * Handles a reply of a node to any request: it is reachable. Almost free when no hints wait for the node.
     *
     * @param node the node
     */
    public void answered(NodeId node) {
        Replay replay = replays.get(node);
        if (replay != null) {
            replay.answered();
        }
    }

    /** Counts hints of a node that has left. These are no alarm: its successors have nearly all writes. */
    private void left(NodeId node, long bytes) {
        droppedBytes.addAndGet(bytes);
        LOG.info("hints of {} bytes for {} are dropped: it has left the cluster", bytes, node);
    }

    /** Counts dropped hints. */
    void drop(Node node, long bytes, String why) {
        countDropped(bytes, "hints for " + node.id() + ": " + why);
    }

    private void countDropped(long bytes, String what) {
        droppedBytes.addAndGet(bytes);
        if (logs.begin()) {
            LOG.warn(
                    "hints were dropped, {} bytes in all since the start; {}. Background repair brings what is "
                            + "missing, at once if"
                            + " it is asked to (operations().repair)",
                    droppedBytes(),
                    what);
        }
    }

    /**
     * Returns the size of the hints that were dropped since the start, or lost by the log.
     *
     * @return bytes of keys and values, estimated; 0 or more
     */
    public long droppedBytes() {
        return droppedBytes.get() + log.lostBytes();
    }

    /**
     * Returns the size of the hints that wait for delivery.
     *
     * @return bytes, as the log estimates
     */
    public long bytes() {
        return log.bytes();
    }

    /** Runs a task on a store thread; returns false if the threads have ended. */
    boolean onStoreThread(Runnable task) {
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    // Errors are logged too, since this is their only report.
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
     * Delivers the hints that can be delivered soon, before an orderly shutdown. A failed delivery is retried shortly
     * after, unless the node is suspected.
     *
     * @param atMost the time after which failed deliveries are not retried; zero or more
     * @return completes when all missed writes are stored, and every node has its hints or is not retried; at the
     *     latest with {@link #close}
     */
    public CompletableFuture<Void> drain(Duration atMost) {
        long endNanos = environment.nanoTime() + atMost.toNanos();
        draining = true;
        replays.values().forEach(replay -> replay.drain(endNanos));
        rested();
        return drained;
    }

    /** Completes the drain if this was the last activity. */
    void rested() {
        if (draining && waiting.inside() == 0 && replays.values().stream().allMatch(Replay::isAtRest)) {
            drained.complete(null);
        }
    }

    /**
     * Stops accepting missed writes.
     *
     * @return completes when all accepted writes are in the log, or dropped
     */
    public CompletableFuture<Void> settle() {
        return waiting.close();
    }

    /**
     * Stops sending. Undelivered hints stay in the log.
     *
     * @throws io.dht4j.spi.StoreException if the log fails to close
     */
    public void close() {
        closed = true;
        replays.values().forEach(Replay::close);
        drained.complete(null);
        log.close();
    }
}
