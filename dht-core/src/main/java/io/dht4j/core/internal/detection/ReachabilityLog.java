package io.dht4j.core.internal.detection;

import io.dht4j.Node;
import io.dht4j.NodeId;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs when and why a node becomes unreachable, and when it is reachable again: once for each reason, for any number of
 * failed calls. The usual failures at a node's start or restart are warnings only after ten seconds. Safe for use by
 * any number of threads.
 */
public final class ReachabilityLog {

    private static final Logger LOG = LoggerFactory.getLogger(ReachabilityLog.class);

    /**
     * The bound on logged reasons. There are few; a reason with a changing number must not grow the log with every
     * call.
     */
    private static final int MAX_REASONS = 8;

    /**
     * The message parts of a restart: no process listens, the node is about to end, the other side has closed a
     * connection during its setup. A node that trusts no certificate of this node does the last, too.
     */
    private static final Pattern RESTARTS =
            Pattern.compile("connection refused|shutting down|closed|reset|broken pipe", Pattern.CASE_INSENSITIVE);

    /** The maximum duration of a restart. */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoTime;
    /** The nodes whose last call was not sent; bounded by the number of nodes. */
    private final Map<NodeId, Outage> away = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /** The reported reasons of an unreachable node. */
    private static final class Outage {

        private final Set<String> loggedReasons = ConcurrentHashMap.newKeySet();
        private final long begunNanos;
        private volatile boolean matters;

        Outage(long begunNanos) {
            this.begunNanos = begunNanos;
        }
    }

    /**
     * Creates a log.
     *
     * @param nanoTime the monotonic clock
     */
    public ReachabilityLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Records that a node has answered.
     *
     * @param node the node
     */
    public void answered(Node node) {
        Outage outage = away.isEmpty() ? null : away.remove(node.id());
        if (outage != null) {
            LOG.atLevel(outage.matters ? Level.WARN : Level.INFO)
                    .log("{} at {} can be called again", node.id(), node.address());
        }
    }

    /**
     * Records a call that was certainly not sent. Others may be slow or busy.
     *
     * @param node the called node
     * @param reason why
     */
    public void notSent(Node node, String reason) {
        if (closed) {
            return;
        }
        Outage outage = away.computeIfAbsent(node.id(), id -> new Outage(nanoTime.getAsLong()));
        if (outage.loggedReasons.size() >= MAX_REASONS || outage.loggedReasons.contains(reason)) {
            return;
        }
        boolean restarting =
                RESTARTS.matcher(reason).find() && nanoTime.getAsLong() - outage.begunNanos < LASTING_NANOS;
        // A quiet reason may become a warning later.
        String logged = restarting ? "quiet: " + reason : reason;
        if (outage.loggedReasons.add(logged)) {
            if (!restarting) {
                outage.matters = true;
            }
            LOG.atLevel(restarting ? Level.INFO : Level.WARN).log("{} cannot be called: {}", node.id(), reason);
        }
    }

    /**
     * Forgets nodes that are no longer members.
     *
     * @param members the other members
     */
    public void retain(Collection<NodeId> members) {
        away.keySet().retainAll(members);
    }

    /** Ends the log: calls that end with this node's transport say nothing about the others. */
    public void close() {
        closed = true;
        away.clear();
    }
}
