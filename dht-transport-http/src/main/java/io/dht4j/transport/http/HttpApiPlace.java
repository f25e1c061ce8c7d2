package io.dht4j.transport.http;

import io.dht4j.OverloadedException;
import io.vertx.core.http.HttpServerRequest;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The place that a request's connection has among those of the port, and what the request does to it. Belongs to the
 * request's event loop.
 */
final class HttpApiPlace {

    /** No token that allows the request, a foreign page, a name that is not the node's. */
    private static final Set<Integer> REFUSED_CALLERS = Set.of(401, 403, 421);

    private final HttpServerRequest request;
    private final HttpConnections connections;
    private @Nullable Runnable leave;

    HttpApiPlace(HttpServerRequest request, HttpConnections connections) {
        this.request = request;
        this.connections = connections;
    }

    /**
     * The request as a whole has come, and is to be carried out. Called again, it does nothing.
     *
     * @throws OverloadedException if there is no place for a connection that makes public requests
     */
    void require() {
        if (leave == null) {
            leave = connections.requirePlace(request);
        }
    }

    /** A part of the request's body has come. */
    void bodyCame() {
        connections.bodyCame(request.connection());
    }

    /** The answer is out, or none will be: the connection may give way to others. Called again, it does nothing. */
    void leave() {
        Runnable known = leave;
        if (known != null) {
            leave = null;
            known.run();
        }
    }

    /**
     * The request is about to be answered with an error.
     *
     * @param later runs an action on the event loop once the answer has been given
     */
    void refused(int status, Consumer<Runnable> later) {
        if (REFUSED_CALLERS.contains(status)) {
            connections.refused(request, later);
        }
    }

    /** The client has reset the request's stream. */
    void streamReset() {
        connections.streamReset(request.connection());
    }
}
