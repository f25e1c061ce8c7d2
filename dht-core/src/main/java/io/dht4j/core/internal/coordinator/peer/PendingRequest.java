package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.admission.PeerLimit;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.core.internal.replica.CallLiveness;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import org.jspecify.annotations.Nullable;

/**
 * An outstanding request to one replica, sent for the first or the second time.
 *
 * @param node the replica
 * @param outbound the request
 * @param view the view that identifies the replica
 * @param context the deadline, and whether the reply is still wanted
 * @param handler receives the outcome
 * @param limit has admitted the request, which leaves it with the outcome; null if the node has no limit
 * @param since the monotonic clock when it was sent
 * @param first whether it was not sent before
 * @param refusals how often the replica has refused it since its view was older
 * @param trace the trace context of its span; null if it has none, or the replica does not read it
 */
record PendingRequest(
        Node node,
        OutboundRequest outbound,
        ClusterView view,
        CallContext context,
        ReplyHandler handler,
        @Nullable PeerLimit limit,
        long since,
        boolean first,
        int refusals,
        @Nullable TraceContext trace)
        implements CallLiveness, Request.BatchPart {

    /** The first refusal may not have waited for the newer view, because of other requests in the frame. */
    private static final int MOST_REFUSALS = 2;

    @Override
    public Request request() {
        return outbound.request;
    }

    @Override
    public long remainingNanos() {
        return Math.max(1, context.remainingNanos());
    }

    @Override
    public long rowVersion() {
        return outbound.rowVersion();
    }

    /** Returns an upper bound of its bytes in a frame that it shares. */
    int bytes() {
        return trace == null ? outbound.bytes : outbound.bytes + FrameCodec.encodedSize(trace);
    }

    /** Returns the number and incarnation of the replica; null if they are not known. */
    @Nullable
    NodeIdentity identity() {
        return view.identity(node.id());
    }

    /** Returns whether the outcome is still wanted. */
    boolean isWanted() {
        return handler.isWanted() && !context.isCancelled();
    }

    @Override
    public boolean isExpired() {
        return context.isExpired();
    }

    @Override
    public boolean isOver() {
        return !isWanted() || isExpired();
    }

    @Override
    public @Nullable TracedSpan span() {
        ObservedCall call = handler.call();
        return call == null ? null : call.span();
    }

    /**
     * Returns whether it may be sent again after a connection has broken. An atomic operation is repeated by its caller
     * alone, who then knows that an earlier attempt may have been executed.
     */
    boolean mayRepeat() {
        return first && isWanted() && !context.isExpired() && !(outbound.request instanceof RegisterRequest.Execute);
    }

    PendingRequest again(long now) {
        return new PendingRequest(node, outbound, view, context, handler, limit, now, false, refusals, trace);
    }

    /**
     * Returns whether it is sent again to a replica that has refused it because of an older view, and fetches a newer
     * one.
     */
    boolean mayFollowRefresh(Reply reply) {
        return reply instanceof Reply.Failed failed
                && failed.code() == ErrorCode.TOPOLOGY_BEHIND
                && refusals < MOST_REFUSALS
                && isWanted()
                && !isExpired();
    }

    PendingRequest afterRefresh(long now) {
        return new PendingRequest(node, outbound, view, context, handler, limit, now, first, refusals + 1, trace);
    }

    /** Returns whether a reply refuses the frame because the replica does not support trace contexts. */
    boolean isRefusedForTrace(Reply reply) {
        return trace != null && reply instanceof Reply.Failed failed && failed.code() == ErrorCode.UNSUPPORTED_PROTOCOL;
    }

    PendingRequest withoutTrace(long now) {
        return new PendingRequest(node, outbound, view, context, handler, limit, now, first, refusals, null);
    }

    /**
     * Reports a failure that carries no information on the node's speed. A request that was sent twice may have been
     * carried out the first time.
     */
    void fail(boolean nothingDone, ErrorCode code, String message) {
        if (limit != null) {
            limit.leave();
        }
        report(nothingDone, code, message);
    }

    /** Reports that the replica's address refuses connections. */
    void refused(String message) {
        if (limit != null) {
            limit.leave();
        }
        handler.failed(new PeerFailure(node.id(), first, true, ErrorCode.NOT_SENT, message));
    }

    /** Reports that it was sent, with an unknown outcome. */
    void fail(ErrorCode code, String message, long now) {
        if (limit != null && outbound.isQuick()) {
            limit.leaveUnanswered(since, now);
        } else if (limit != null) {
            limit.leave();
        }
        report(false, code, message);
    }

    private void report(boolean nothingDone, ErrorCode code, String message) {
        handler.failed(new PeerFailure(node.id(), nothingDone && first, code, message));
    }

    void deliver(Reply reply, long now) {
        if (reply instanceof Reply.Failed failed) {
            leave(now, failed.code() == ErrorCode.OVERLOADED);
            handler.failed(PeerFailure.of(node.id(), failed, first));
        } else {
            leave(now, false);
            handler.replied(node.id(), reply);
        }
    }

    private void leave(long now, boolean overloaded) {
        if (limit == null) {
            return;
        }
        // A large request is refused for lack of memory: fewer requests would not help, and it is sent again.
        boolean tooMany = overloaded && !outbound.isLarge();
        if (tooMany || outbound.isQuick()) {
            limit.leave(since, now, tooMany);
        } else {
            limit.leave();
        }
    }
}
