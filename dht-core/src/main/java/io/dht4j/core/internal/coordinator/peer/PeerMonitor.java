package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.PeerClocks;
import io.dht4j.core.internal.detection.ReachabilityLog;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.membership.ViewRefresh;
import io.dht4j.core.internal.membership.WrongAddresses;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the observations of requests and replies about the other nodes: reachability, clocks, identities and
 * settings. Does not block; safe for use by any number of threads.
 */
public final class PeerMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(PeerMonitor.class);

    private final HybridClock clock;
    private final PeerClocks clocks;
    private final Suspicion suspicion;
    private final ReachabilityLog reachability;
    private final Disagreements disagreements;
    private final WrongAddresses wrongAddresses;
    private final Listener listener;
    private volatile @Nullable ViewRefresh refresh;

    /** Receives each node that has sent a reply, with each of its frames. */
    @FunctionalInterface
    public interface Listener {

        /**
         * A reply has arrived.
         *
         * @param node the sender
         * @param nowNanos the monotonic clock
         */
        void answered(NodeId node, long nowNanos);
    }

    /**
     * Creates a monitor.
     *
     * @param clock follows the hybrid clocks of the others
     * @param clocks compares the wall clocks of the others
     * @param suspicion records requests, and nodes that cannot be reached
     * @param reachability logs nodes that cannot be reached
     * @param disagreements reports nodes with wrong names or settings
     * @param wrongAddresses closes connections over which another node answers
     * @param listener receives signs of life
     */
    public PeerMonitor(
            HybridClock clock,
            PeerClocks clocks,
            Suspicion suspicion,
            ReachabilityLog reachability,
            Disagreements disagreements,
            WrongAddresses wrongAddresses,
            Listener listener) {
        this.clock = clock;
        this.clocks = clocks;
        this.suspicion = suspicion;
        this.reachability = reachability;
        this.disagreements = disagreements;
        this.wrongAddresses = wrongAddresses;
        this.listener = listener;
    }

    /** Reports the epochs of replies from now on. */
    void follow(ViewRefresh views) {
        refresh = views;
    }

    /** Records a request. An error in this does not prevent the request, since its end would be lost. */
    void sent(Node node, long now) {
        try {
            suspicion.sent(node.id(), now);
        } catch (RuntimeException | Error e) {
            LOG.debug("a request to {} is not recorded", node.id(), e);
        }
    }

    /** Records a request that was certainly not sent, and why. */
    void unreachable(Node node, String reason) {
        suspicion.unreachable(node.id());
        reachability.notSent(node, reason);
    }

    /** Records the clocks in a reply, and the reply as a sign of life. */
    void answered(Node node, FrameHeader header, long sentNanos, long now) {
        clock.observe(header.clock());
        clocks.observe(node.id(), header.wallMillis(), sentNanos, now);
        alive(node, now);
        ViewRefresh views = refresh;
        if (views != null) {
            views.noticed(header.epoch(), node.id());
        }
    }

    /** Records a sign of life. */
    void alive(Node node, long now) {
        reachability.answered(node);
        listener.answered(node.id(), now);
    }

    /** Records that a node accepts this node's settings. */
    void agrees(Node node) {
        disagreements.settled(node.id());
    }

    /** Records the observations of a reply about its sender; returns the reply in the form for its caller. */
    Reply checked(Node node, Reply reply) {
        if (reply instanceof Reply.OtherSettings other) {
            return new Reply.Failed(ErrorCode.PLACEMENT_MISMATCH, disagreements.settings(node, other.settings()));
        }
        // Some failures come before the settings are compared.
        if (!(reply instanceof Reply.Failed)) {
            agrees(node);
        }
        return reply;
    }

    /** Records that another node answers at a node's address. The other node is not at fault. */
    void wrongNode(Node node, NodeId actual) {
        disagreements.wrongNode(node, actual);
        suspicion.unreachable(node.id());
        wrongAddresses.answeredByOther(node);
    }

    /** Records that a node of the same name answers at a node's address, which is another incarnation. */
    void wrongIncarnation(Node node) {
        wrongAddresses.answeredByOther(node);
    }
}
