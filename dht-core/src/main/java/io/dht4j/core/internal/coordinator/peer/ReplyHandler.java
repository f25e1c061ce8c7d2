package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.wire.Reply;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives the outcome of a request to one replica: exactly one of its methods is called, once, on any thread. */
public interface ReplyHandler {

    /**
     * The replica has carried the request out.
     *
     * @param by the replica
     * @param reply its reply; no failure
     */
    void replied(NodeId by, Reply reply);

    /**
     * The replica has not carried the request out, or the outcome is unknown.
     *
     * @param failure the reason
     */
    void failed(PeerFailure failure);

    /**
     * Creates a handler of two functions.
     *
     * @param replied receives the reply
     * @param failed receives the failure
     * @return a handler that always wants the outcome
     */
    static ReplyHandler of(Consumer<? super Reply> replied, Consumer<? super PeerFailure> failed) {
        return of(null, replied, failed);
    }

    /**
     * Creates a handler of two functions for a request of a call.
     *
     * @param call the observation of the call; null without an observer
     * @param replied receives the reply
     * @param failed receives the failure
     * @return a handler that always wants the outcome
     */
    static ReplyHandler of(
            @Nullable ObservedCall call, Consumer<? super Reply> replied, Consumer<? super PeerFailure> failed) {
        return new ReplyHandler() {
            @Override
            public @Nullable ObservedCall call() {
                return call;
            }

            @Override
            public void replied(NodeId by, Reply reply) {
                replied.accept(reply);
            }

            @Override
            public void failed(PeerFailure failure) {
                failed.accept(failure);
            }
        };
    }

    /**
     * Returns a handler that ignores the outcome.
     *
     * @return a handler for requests whose failure recurs with the next one
     */
    static ReplyHandler ignoring() {
        return of(reply -> {}, failure -> {});
    }

    /**
     * Returns whether the request is one of the first of a read, which are sent at once. Their latencies decide when a
     * read is late.
     *
     * @return false by default
     */
    default boolean isFirst() {
        return false;
    }

    /**
     * Returns whether the replica has refused the same request before. A repeated request makes no deposit into the
     * retry budget: the first one has.
     *
     * @return false by default
     */
    default boolean isRepeated() {
        return false;
    }

    /**
     * Returns whether the outcome still matters. If not, the request may be left out, and its reply dropped unread.
     *
     * @return true by default
     */
    default boolean isWanted() {
        return true;
    }

    /**
     * Returns the observation of the call that the request belongs to.
     *
     * @return null, as by default, if it belongs to none, or there is no observer
     */
    default @Nullable ObservedCall call() {
        return null;
    }

    /**
     * Returns the trace context of the request for its recipient.
     *
     * @return null, as by default, if it has none
     */
    default @Nullable TraceContext traceContext() {
        return null;
    }
}
