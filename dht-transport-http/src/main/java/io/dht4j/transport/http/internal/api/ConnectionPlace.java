package io.dht4j.transport.http.internal.api;

import io.dht4j.OverloadedException;
import io.dht4j.transport.http.internal.server.HttpConnections;
import io.vertx.core.http.HttpServerRequest;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The place that a request's connection has among those of the port, and the request's effects on it. Belongs to the
 * request's event loop.
 */
final class ConnectionPlace {

    /** The statuses for a token that does not allow the request, a foreign page, and a name that is not the node's. */
    private static final Set<Integer> REFUSED_CALLERS = Set.of(401, 403, 421);

    private final HttpServerRequest request;
    private final HttpConnections connections;
    private @Nullable Runnable leave;

    ConnectionPlace(HttpServerRequest request, HttpConnections connections) {
        this.request = request;
        this.connections = connections;
    }

    /**
     * Requires a place when the whole request has come and is to be carried out. A second call does nothing.
     *
     * @throws OverloadedException if there is no place for a connection that makes public requests
     */
    void require() {
        if (leave == null) {
            leave = connections.requirePlace(request);
        }
    }

    /** Notes that a part of the request's body has come. */
    void bodyCame() {
        connections.bodyCame(request.connection());
    }

    /**
     * Notes that the answer was sent, or none will be: the connection may give way to others. A second call does
     * nothing.
     */
    void leave() {
        Runnable known = leave;
        if (known != null) {
            leave = null;
            known.run();
        }
    }

    /**
     * Notes that the request is about to be answered with an error.
     *
     * @param later runs an action on the event loop once the answer has been given
     */
    void refused(int status, Consumer<Runnable> later) {
        if (REFUSED_CALLERS.contains(status)) {
            connections.refused(request, later);
        }
    }

    /** Notes that the client has reset the request's stream. */
    void streamReset() {
        connections.streamReset(request.connection());
    }
}
