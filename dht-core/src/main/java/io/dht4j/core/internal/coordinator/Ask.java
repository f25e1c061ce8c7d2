package io.dht4j.core.internal.coordinator;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;

/**
 * A request to one replica that is on its way to it, for the first or for the second time.
 *
 * @param node the replica
 * @param outgoing what is asked
 * @param context until when, and whether the reply is still wanted
 * @param handler takes the outcome
 * @param first whether nothing of it was sent before
 */
record Ask(Node node, Outgoing outgoing, CallContext context, ReplyHandler handler, boolean first) {

    /** Whether it is worth while to send it, or to read its reply. */
    boolean isWanted() {
        return handler.isWanted() && !context.isCancelled();
    }

    boolean mayRepeat() {
        return first && isWanted() && !context.isExpired();
    }

    Ask again() {
        return new Ask(node, outgoing, context, handler, false);
    }

    /** Reports a failure; what was sent twice may have been carried out the first time. */
    void fail(boolean nothingDone, ErrorCode code, String message) {
        handler.failed(new PeerFailure(node.id(), nothingDone && first, code, message));
    }

    void deliver(Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            // A store that failed may have kept a part, and an unknown error may mean anything.
            boolean nothingDone = failed.code() != ErrorCode.STORE_FAILED && failed.code() != ErrorCode.INTERNAL;
            fail(
                    nothingDone,
                    failed.code(),
                    failed.message().isEmpty() ? failed.code().name() : failed.message());
        } else {
            handler.replied(reply);
        }
    }
}
