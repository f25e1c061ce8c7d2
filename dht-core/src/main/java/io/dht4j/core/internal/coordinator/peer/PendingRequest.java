package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.core.internal.admission.PeerLimit;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import org.jspecify.annotations.Nullable;

/**
 * A request to one replica that is on its way to it, for the first or for the second time.
 *
 * @param node the replica
 * @param outgoing what is asked
 * @param context until when, and whether the reply is still wanted
 * @param handler takes the outcome
 * @param limit let it in, and lets it out when it has an outcome; null if nothing limits it
 * @param since the monotonic clock when it was sent
 * @param first whether nothing of it was sent before
 */
record PendingRequest(
        Node node,
        Outgoing outgoing,
        CallContext context,
        ReplyHandler handler,
        @Nullable PeerLimit limit,
        long since,
        boolean first) {

    /** Whether it is worth while to send it, or to read its reply. */
    boolean isWanted() {
        return handler.isWanted() && !context.isCancelled();
    }

    boolean mayRepeat() {
        return first && isWanted() && !context.isExpired();
    }

    PendingRequest again(long now) {
        return new PendingRequest(node, outgoing, context, handler, limit, now, false);
    }

    /**
     * Reports a failure that says nothing of the node's speed; what was sent twice may have been carried out the first
     * time.
     */
    void fail(boolean nothingDone, ErrorCode code, String message) {
        if (limit != null) {
            limit.leave();
        }
        report(nothingDone, code, message);
    }

    /** Reports that nothing listens where the replica should be. */
    void refused(String message) {
        if (limit != null) {
            limit.leave();
        }
        handler.failed(new PeerFailure(node.id(), first, true, ErrorCode.NOT_SENT, message));
    }

    /** Reports that it was sent and nobody knows what has become of it. */
    void fail(ErrorCode code, String message, long now) {
        if (limit != null && outgoing.isQuick()) {
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
            // A store that failed may have kept a part, and an unknown error may mean anything.
            boolean nothingDone = failed.code() != ErrorCode.STORE_FAILED && failed.code() != ErrorCode.INTERNAL;
            report(
                    nothingDone,
                    failed.code(),
                    failed.message().isEmpty() ? failed.code().name() : failed.message());
        } else {
            leave(now, false);
            handler.replied(reply);
        }
    }

    private void leave(long now, boolean overloaded) {
        if (limit == null) {
            return;
        }
        // A large request lacks memory, of which fewer requests would not make more; and it is offered again.
        boolean tooMany = overloaded && !outgoing.isLarge();
        if (tooMany || outgoing.isQuick()) {
            limit.leave(since, now, tooMany);
        } else {
            limit.leave();
        }
    }
}
