package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.core.internal.wire.Reply;

/** Takes the outcome of a request to one replica; exactly one of its methods is called, once, on any thread. */
public interface ReplyHandler {

    /** The replica carried the request out. */
    void replied(Reply reply);

    /** It did not, or nobody knows. */
    void failed(PeerFailure failure);

    /** Takes no interest in the outcome. */
    static ReplyHandler ignoring() {
        return new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                // as hoped
            }

            @Override
            public void failed(PeerFailure failure) {
                // whoever needs it meets it again
            }
        };
    }

    /**
     * Whether it is of the first requests of a read, which are sent at once: how long they take tells when a read is
     * late.
     */
    default boolean isFirst() {
        return false;
    }

    /**
     * Whether the outcome still matters. If it does not, the request may be left out and its reply be dropped unread.
     */
    default boolean isWanted() {
        return true;
    }
}
