package io.dht4j.transport.http;

import io.dht4j.DhtException;
import io.dht4j.OverloadedException;

/**
 * What one request holds of the places and bytes that an API may have in flight. Belongs to the request's event loop.
 */
final class HttpApiShare {

    private final HttpApiExchange exchange;
    private final HttpApiAdmission admission;
    private boolean entered;
    private long reserved;

    HttpApiShare(HttpApiExchange exchange, HttpApiAdmission admission) {
        this.exchange = exchange;
        this.admission = admission;
    }

    /**
     * Takes one of the requests that may be in flight.
     *
     * @throws DhtException if there is none left
     */
    void enter() {
        admission.enter(exchange);
        entered = true;
    }

    /**
     * Takes bytes of the budget until this share is given back.
     *
     * @throws OverloadedException if there are too few
     */
    void reserve(long count) {
        if (!admission.reserve(count)) {
            throw outOfBytes();
        }
        reserved += count;
    }

    /**
     * Refuses a body that the budget would not hold now.
     *
     * @throws OverloadedException if there are too few bytes
     */
    void requireRoomFor(long count) {
        if (!admission.hasRoomFor(count)) {
            throw outOfBytes();
        }
    }

    /** Gives a part of the reserved bytes back. */
    void unreserve(long count) {
        long part = Math.min(count, reserved);
        reserved -= part;
        admission.release(part);
    }

    /** Gives everything back. Called again, it does nothing. */
    void release() {
        unreserve(reserved);
        leave();
    }

    /** Gives the place among the requests in flight back. */
    void leave() {
        if (entered) {
            entered = false;
            admission.leave(exchange);
        }
    }

    private OverloadedException outOfBytes() {
        return new OverloadedException("the values in flight would exceed " + admission.maxBytes() + " bytes");
    }
}
