package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.OverloadedException;
import io.dht4j.transport.http.internal.server.HttpConnections;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places and bytes that one request holds: of the API's bounds on requests in flight, and the place of its
 * connection among those of the port. Belongs to the request's event loop.
 */
final class InFlightLease {

    /** The statuses for a token that does not allow the request, a foreign page, and a name that is not the node's. */
    private static final Set<Integer> REFUSED_CALLERS = Set.of(401, 403, 421);

    private final ApiExchange exchange;
    private final RequestAdmission admission;
    private final HttpConnections connections;
    /** Leaves the place of the connection; null while it has none for this request. */
    private @Nullable Runnable leaveConnection;

    private boolean begun;
    private boolean awaiting;
    private boolean entered;
    private long reserved;

    InFlightLease(ApiExchange exchange, RequestAdmission admission, HttpConnections connections) {
        this.exchange = exchange;
        this.admission = admission;
        this.connections = connections;
    }

    /**
     * Requires a place for the connection of a complete request, before it is carried out. A second call does nothing.
     *
     * @throws OverloadedException if there is no place for a connection that makes public requests
     */
    void requireConnection() {
        if (leaveConnection == null) {
            leaveConnection = connections.requirePlace(exchange.request());
        }
    }

    /** Notes that a part of the request's body has come. */
    void partOfBodyCame() {
        connections.bodyCame(exchange.request().connection());
    }

    /**
     * Records that the answer was sent, or none will be: the connection may give way to others. A second call does
     * nothing.
     */
    void leaveConnection() {
        Runnable known = leaveConnection;
        if (known != null) {
            leaveConnection = null;
            known.run();
        }
    }

    /** Notes that the request is about to be answered with an error. */
    void refused(int status) {
        if (REFUSED_CALLERS.contains(status)) {
            connections.refused(exchange.request(), exchange::later);
        }
    }

    /** Notes that the client has reset the request's stream. */
    void streamReset() {
        connections.streamReset(exchange.request().connection());
    }

    /**
     * Waits for the request's body, without a place among the requests in flight.
     *
     * @param giveWay refuses the request, if others need the room; called on its event loop
     * @throws DhtException if the request would have no place now
     */
    void awaitBody(Runnable giveWay) {
        begin();
        admission.awaitBody(exchange, giveWay);
        awaiting = true;
    }

    /**
     * Takes a place among the requests in flight, and one for the connection if it has none. The body, if there is one,
     * has come.
     *
     * @throws DhtException if there is none left
     */
    void enter() {
        requireConnection();
        begin();
        bodyCame();
        admission.enter();
        entered = true;
    }

    /** Returns whether the body is still to come. */
    boolean isAwaitingBody() {
        return awaiting;
    }

    private void begin() {
        if (!begun) {
            admission.begin(exchange);
            begun = true;
        }
    }

    private void bodyCame() {
        if (awaiting) {
            awaiting = false;
            admission.bodyCame(exchange);
        }
    }

    /**
     * Takes bytes of the budget until this lease is released.
     *
     * @throws OverloadedException if there are too few
     */
    void reserve(long count) {
        if (!admission.reserve(count)) {
            throw admission.outOfBytes();
        }
        reserved += count;
    }

    /**
     * Reserves as {@link #reserve} does, on any thread: bytes on their way to the event loop count too. They become
     * part of this lease when the event loop {@linkplain #adopt adopts} them.
     *
     * @throws OverloadedException if there are too few
     */
    void reserveAhead(long count) {
        if (!admission.reserve(count)) {
            throw admission.outOfBytes();
        }
    }

    /** Takes over bytes that were reserved ahead. */
    void adopt(long count) {
        reserved += count;
    }

    /**
     * Refuses a body for which the budget has no room now.
     *
     * @throws OverloadedException if there are too few bytes
     */
    void requireRoomFor(long count) {
        if (!admission.hasRoomFor(count)) {
            throw admission.outOfBytes();
        }
    }

    /** Returns a part of the reserved bytes. */
    void unreserve(long count) {
        long part = Math.min(count, reserved);
        reserved -= part;
        admission.release(part);
    }

    /** Returns all places and bytes. A second call does nothing. */
    void release() {
        unreserve(reserved);
        leave();
    }

    /** Returns the place among the requests in flight. */
    void leave() {
        bodyCame();
        if (entered) {
            entered = false;
            admission.leave();
        }
        if (begun) {
            begun = false;
            admission.end(exchange);
        }
    }
}
