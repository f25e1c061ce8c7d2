package io.dht4j.server;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs when and why a node becomes unreachable, and when it is reachable again: once for each reason, however many
 * calls fail. What every start and restart of a node causes is a warning only after ten seconds. Safe for use by any
 * number of threads.
 */
final class ReachabilityLog implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(ReachabilityLog.class);

    /**
     * The bound on logged reasons. There are few; a reason with a changing number must not grow the log with every
     * call.
     */
    private static final int MAX_REASONS = 8;

    /**
     * The texts of a restart, whatever surrounds them: no process listens, the node is about to end, the other side has
     * closed a connection while it was being made. A node that trusts no certificate of this node does the last, too.
     */
    private static final Pattern RESTARTS =
            Pattern.compile("connection refused|shutting down|closed|reset|broken pipe", Pattern.CASE_INSENSITIVE);

    /** After this time the node is not just restarting. */
    private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Transport watched;
    private final LongSupplier nanoTime;
    /** The nodes whose last call was not sent; bounded by the number of nodes. */
    private final Map<NodeId, Outage> away = new ConcurrentHashMap<>();

    /** The reported reasons of an unreachable node. */
    private static final class Outage {

        private final Set<String> loggedReasons = ConcurrentHashMap.newKeySet();
        private final long begunNanos;
        private volatile boolean matters;

        Outage(long begunNanos) {
            this.begunNanos = begunNanos;
        }
    }

    /** Wraps the transport that carries the calls. */
    ReachabilityLog(Transport watched) {
        this(watched, System::nanoTime);
    }

    ReachabilityLog(Transport watched, LongSupplier nanoTime) {
        this.watched = watched;
        this.nanoTime = nanoTime;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return watched.start(handler);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        CompletionStage<byte[]> reply = watched.call(node, request, context);
        reply.whenComplete((bytes, error) -> {
            if (error == null) {
                answered(node);
            } else if (!context.isCancelled() && !context.isExpired()) {
                failed(node, error);
            }
        });
        return reply;
    }

    private void answered(Node node) {
        Outage outage = away.isEmpty() ? null : away.remove(node.id());
        if (outage != null) {
            LOG.atLevel(outage.matters ? Level.WARN : Level.INFO)
                    .log("{} at {} can be called again", node.id(), node.address());
        }
    }

    /** Counts a node as unreachable only if a call was certainly not sent: others may be slow or busy. */
    private void failed(Node node, Throwable error) {
        if (!(error instanceof TransportException e) || e.outcome() != TransportException.Outcome.NOT_SENT) {
            return;
        }
        String reason = String.valueOf(e.getMessage());
        Outage outage = away.computeIfAbsent(node.id(), id -> new Outage(nanoTime.getAsLong()));
        boolean restarting =
                RESTARTS.matcher(reason).find() && nanoTime.getAsLong() - outage.begunNanos < LASTING_NANOS;
        // What is quiet at first may matter later.
        String logged = restarting ? "quiet: " + reason : reason;
        if (outage.loggedReasons.size() < MAX_REASONS && outage.loggedReasons.add(logged)) {
            if (!restarting) {
                outage.matters = true;
            }
            LOG.atLevel(restarting ? Level.INFO : Level.WARN).log("{} cannot be called: {}", node.id(), reason);
        }
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        return watched.endpoints(nodes);
    }

    @Override
    public CompletionStage<String> failure() {
        return watched.failure();
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        return watched.connections();
    }

    @Override
    public void forget(Node node) {
        away.remove(node.id());
        watched.forget(node);
    }

    @Override
    public String name() {
        return watched.name();
    }

    @Override
    public void close() {
        watched.close();
    }
}
