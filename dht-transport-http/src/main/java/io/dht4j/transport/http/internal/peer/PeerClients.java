package io.dht4j.transport.http.internal.peer;

import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Optional;

/** Makes the clients of one kind, one for each peer. Safe for use by any number of threads. */
public interface PeerClients {

    /**
     * Returns a client that connects with the first call. Does not block.
     *
     * @param tls the own certificate and the trusted node; without it, connections are plaintext
     */
    PeerClient to(HostAndPort peer, Optional<PeerTls> tls);

    /** Releases the shared resources of the clients, once they are closed. May block for a bounded time. */
    default void close() {}

    /** Makes the clients of a transport. Safe for use by any number of threads. */
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
