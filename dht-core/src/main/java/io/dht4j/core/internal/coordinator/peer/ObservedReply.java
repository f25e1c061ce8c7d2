package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.observation.ObservedRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Observer;
import org.jspecify.annotations.Nullable;

/**
 * A handler that reports the end of its request before it passes the outcome on. A request without a reply that was no
 * longer wanted counts as cancelled: a coordinator drops such replies unread.
 *
 * @param observed the observation of the request
 * @param context whether the call was cancelled
 * @param handler receives the outcome
 */
record ObservedReply(ObservedRequest observed, CallContext context, ReplyHandler handler) implements ReplyHandler {

    @Override
    public void replied(NodeId by, Reply reply) {
        try {
            observed.ended(Observer.Outcome.success());
        } finally {
            handler.replied(by, reply);
        }
    }

    @Override
    public void failed(PeerFailure failure) {
        try {
            boolean wanted = handler.isWanted() && !context.isCancelled();
            observed.ended(wanted ? Observer.Outcome.of(failure.code()) : Observer.Outcome.cancelled());
        } finally {
            handler.failed(failure);
        }
    }

    @Override
    public boolean isFirst() {
        return handler.isFirst();
    }

    @Override
    public boolean isRepeated() {
        return handler.isRepeated();
    }

    @Override
    public boolean isWanted() {
        return handler.isWanted();
    }

    @Override
    public @Nullable ObservedCall call() {
        return handler.call();
    }

    @Override
    public @Nullable TraceContext traceContext() {
        return observed.traceContext();
    }
}
