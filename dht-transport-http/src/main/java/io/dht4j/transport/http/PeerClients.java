package io.dht4j.transport.http;

import io.vertx.core.net.HostAndPort;

/** Makes the clients of one kind, one for each peer. Safe for use by any number of threads. */
interface PeerClients {

    /** A client that connects with the first call. Does not block. */
    PeerClient to(HostAndPort peer);

    /** Lets go of what the clients share, once they are closed. May block for a bounded time. */
    default void close() {}
}
