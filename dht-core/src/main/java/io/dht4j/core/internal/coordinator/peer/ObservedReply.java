package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.core.internal.observation.ObservedRequest;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Observer;

/**
 * A handler that reports the end of its request before it passes the outcome on. A request without a reply that was no
 * longer wanted counts as cancelled: a coordinator drops such replies unread.
 *
 * @param observed the observation of the request
 * @param context whether the call was cancelled
 * @param handler receives the outcome
 */
record ObservedReply(ObservedRequest observed, CallContext context, ReplyHandler handler) implements ReplyHandler {

    /** Returns how an observer names a request; membership has a client of its own. */
    static Observer.Request kind(Request request) {
        if (request instanceof Request.ReadKeys) {
            return Observer.Request.READ;
        }
        if (request instanceof Request.ApplyEntries) {
            return Observer.Request.WRITE;
        }
        if (request instanceof Request.Ping) {
            return Observer.Request.PING;
        }
        if (request instanceof RepairRequest) {
            return Observer.Request.REPAIR;
        }
        if (request instanceof Request.RefillPage) {
            return Observer.Request.REFILL;
        }
        return request instanceof Request.ScanPage || request instanceof Request.SnapshotPage
                ? Observer.Request.SCAN
                : Observer.Request.SNAPSHOT;
    }

    @Override
    public void replied(Reply reply) {
        observed.ended(Observer.Outcome.success());
        handler.replied(reply);
    }

    @Override
    public void failed(PeerFailure failure) {
        boolean wanted = handler.isWanted() && !context.isCancelled();
        observed.ended(wanted ? Observer.Outcome.of(failure.code()) : Observer.Outcome.cancelled());
        handler.failed(failure);
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
}
