package io.dht4j.core.internal.detection;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.recording.FlightRecording;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FailureDetector;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports this node's calls to a failure detector, and provides the set of suspected nodes. While requests are sent or
 * nodes are suspected, it checks ten times a second. A check pings suspected nodes, which get no other requests. A late
 * check shows that this node was paused. Does not block; safe for use by any number of threads.
 */
public final class Suspicion {

    private static final Logger LOG = LoggerFactory.getLogger(Suspicion.class);

    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** A check that is later than this means that this node was paused. */
    private static final long LATE_NANOS = 3 * CHECK_NANOS;
    /** For as long another node may take to start without a line in the log. */
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final NodeId self;
    private final Environment environment;
    private volatile List<Node> others;
    private final FailureDetector detector;
    private final Consumer<Node> ping;
    private final AtomicBoolean checking = new AtomicBoolean();
    private volatile boolean active;
    private volatile boolean closed;
    private volatile Set<NodeId> suspects = Set.of();
    /**
     * Nodes that have not answered since this node started or since they were added: they may still be about to start.
     */
    private final Set<NodeId> unheard = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private final Map<NodeId, Long> pinged = new HashMap<>();
    /** Suspected nodes that have never answered, and since when, until that is logged. */
    private final Map<NodeId, Long> quiet = new HashMap<>();
    /** Suspected nodes that have answered since the last judgement. */
    private final Set<NodeId> answered = new HashSet<>();

    private long checkedNanos;
    private long activeNanos;

    /**
     * Creates an object that suspects no node.
     *
     * @param self this node
     * @param environment time and timers
     * @param others all nodes but this one
     * @param detector judges the nodes
     * @param ping sends a ping to a node
     */
    public Suspicion(
            NodeId self, Environment environment, List<Node> others, FailureDetector detector, Consumer<Node> ping) {
        this.self = self;
        this.environment = environment;
        this.others = List.copyOf(others);
        this.detector = detector;
        this.ping = ping;
        this.others.forEach(node -> unheard.add(node.id()));
    }

    /**
     * Records a request to a node.
     *
     * @param node the node
     * @param now the monotonic clock
     */
    public void sent(NodeId node, long now) {
        detector.sent(node, now);
        if (!active) {
            active = true;
        }
        if (!checking.get() && !closed && checking.compareAndSet(false, true)) {
            begin();
        }
    }

    private synchronized void begin() {
        checkedNanos = environment.nanoTime();
        activeNanos = checkedNanos;
        environment.schedule(this::check, CHECK_NANOS);
    }

    /**
     * Records an answer of a node.
     *
     * @param node the node
     * @param now the monotonic clock
     */
    public void heard(NodeId node, long now) {
        // Removing locks, and most answers are of nodes that have answered before.
        if (unheard.contains(node)) {
            unheard.remove(node);
        }
        boolean suspected = !suspects.isEmpty() && suspects.contains(node);
        if (suspected) {
            synchronized (this) {
                answered.add(node);
            }
        }
        detector.heard(node, now);
        if (suspected) {
            judge();
        }
    }

    /**
     * Records that a request could not be sent to a node.
     *
     * @param node the node
     */
    public void unreachable(NodeId node) {
        detector.unreachable(node, environment.nanoTime());
        if (!suspects.contains(node)) {
            judge();
        }
    }

    private void check() {
        if (closed) {
            return;
        }
        boolean continues = recordTime();
        judge();
        logLasting();
        duePings().forEach(ping);
        if (continues || !suspects.isEmpty()) {
            environment.schedule(this::check, CHECK_NANOS);
            return;
        }
        checking.set(false);
        // A request sent just now may have seen the checks still running.
        if (active && checking.compareAndSet(false, true)) {
            begin();
        }
    }

    /** Records the time; returns whether a request was sent so recently that its answer may still arrive. */
    private synchronized boolean recordTime() {
        long now = environment.nanoTime();
        boolean late = now - checkedNanos > LATE_NANOS;
        if (late) {
            long paused = now - checkedNanos - CHECK_NANOS;
            LOG.debug("this node was paused for {} ms", TimeUnit.NANOSECONDS.toMillis(paused));
            FlightRecording.paused(self, paused);
            detector.resumed(now);
        }
        checkedNanos = now;
        if (active || late) {
            activeNanos = now;
            active = false;
        }
        return now - activeNanos <= patienceNanos() + CHECK_NANOS;
    }

    private synchronized void judge() {
        long now = environment.nanoTime();
        if (!hasChanged(now)) {
            return;
        }
        Set<NodeId> found = new HashSet<>();
        for (Node node : others) {
            if (detector.isSuspected(node.id(), now)) {
                found.add(node.id());
                if (!suspects.contains(node.id())) {
                    logSilence(node.id(), now);
                }
            } else if (answered.contains(node.id())) {
                if (quiet.remove(node.id()) == null) {
                    LOG.info("{} answers", node.id());
                }
            } else if (suspects.contains(node.id())) {
                LOG.debug("{} is no longer suspected: this node was paused and cannot judge", node.id());
            }
        }
        answered.clear();
        quiet.keySet().retainAll(found);
        suspects = Set.copyOf(found);
    }

    private void logSilence(NodeId node, long now) {
        if (unheard.contains(node)) {
            quiet.put(node, now);
            LOG.debug("{} has not answered yet: reads ask other nodes first", node);
        } else {
            LOG.info("{} does not answer: reads ask other nodes first", node);
        }
    }

    /** Logs the suspected nodes that should have been started by now. */
    private synchronized void logLasting() {
        long now = environment.nanoTime();
        quiet.entrySet().removeIf(silent -> {
            boolean lasts = now - silent.getValue() > START_NANOS;
            if (lasts) {
                LOG.info("{} does not answer: reads ask other nodes first", silent.getKey());
            }
            return lasts;
        });
    }

    // Called with the lock held, ten times a second; nearly always false.
    private boolean hasChanged(long now) {
        Set<NodeId> before = suspects;
        for (Node node : others) {
            if (detector.isSuspected(node.id(), now) != before.contains(node.id())) {
                return true;
            }
        }
        return false;
    }

    private synchronized List<Node> duePings() {
        if (suspects.isEmpty() && pinged.isEmpty()) {
            return List.of();
        }
        long now = environment.nanoTime();
        pinged.keySet().retainAll(suspects);
        List<Node> due = others.stream()
                .filter(node -> suspects.contains(node.id()))
                .filter(node -> !pinged.containsKey(node.id()) || now - pinged.get(node.id()) >= PING_NANOS)
                .toList();
        due.forEach(node -> pinged.put(node.id(), now));
        return due;
    }

    /**
     * Returns the suspected nodes.
     *
     * @return as of some milliseconds ago; mostly empty
     */
    public Set<NodeId> suspects() {
        return suspects;
    }

    /**
     * Returns whether a node is suspected now.
     *
     * @param node the node
     * @return the detector's judgement
     */
    public boolean isSuspected(NodeId node) {
        return detector.isSuspected(node, environment.nanoTime());
    }

    /**
     * Returns how long a node may be silent before it is suspected.
     *
     * @return nanoseconds
     */
    public long patienceNanos() {
        return detector.patience().toNanos();
    }

    /**
     * Follows a change of the nodes: those that are not among them are no longer suspected.
     *
     * @param now all nodes but this one
     */
    public void follow(List<Node> now) {
        Set<NodeId> ids = now.stream().map(Node::id).collect(Collectors.toSet());
        synchronized (this) {
            Set<NodeId> before = others.stream().map(Node::id).collect(Collectors.toSet());
            others = List.copyOf(now);
            unheard.retainAll(ids);
            ids.stream().filter(id -> !before.contains(id)).forEach(unheard::add);
            Set<NodeId> left = new HashSet<>(suspects);
            left.retainAll(ids);
            suspects = Set.copyOf(left);
            answered.retainAll(ids);
            pinged.keySet().retainAll(ids);
            quiet.keySet().retainAll(ids);
        }
        detector.retain(ids);
    }

    /** Ends the checks. */
    public void close() {
        closed = true;
    }
}
