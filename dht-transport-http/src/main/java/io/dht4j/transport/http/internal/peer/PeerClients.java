package io.dht4j.transport.http.internal.peer;

import io.dht4j.Node;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerLane;
import java.util.List;
import java.util.Optional;

/** Creates the lanes to peers over one kind of HTTP client. Safe for use by any number of threads. */
public interface PeerClients {

    /**
     * Returns lanes that connect with the first call. They bound the calls in flight. Does not block.
     *
     * @param budget counts their calls and, if the client shows them, their connections
     * @param tls the own certificate and the trusted node; without it, connections are plaintext
     */
    List<? extends PeerLane> lanes(Node peer, CallBudget budget, Optional<PeerTls> tls);

    /** Returns whether the connections are counted. */
    default boolean countsConnections() {
        return false;
    }

    /** Releases the shared resources of the lanes, once they are closed. May block for a bounded time. */
    default void close() {}

    /** Creates the clients of a transport. Safe for use by any number of threads. */
    interface Factory {

        /** Prepares the library, before the first transport with such clients exists. May block. */
        default void load() {}

        /**
         * Returns clients for a transport that has started. Does not block.
         *
         * @param loops the transport's event loops, one at least: deadlines run there
         */
        PeerClients create(List<PeerLoop> loops, PeerOptions options);
    }
}
