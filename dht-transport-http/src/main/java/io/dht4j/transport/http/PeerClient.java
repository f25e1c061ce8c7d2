package io.dht4j.transport.http;

/**
 * The calls to one peer, over one kind of HTTP client. Implementations bound what waits and what is under way, and end
 * every call by its deadline. Safe for use by any number of threads.
 */
interface PeerClient {

    /**
     * Takes a call that waits. It ends for certain: with a reply, by its deadline, or when the client is closed. Does
     * not block.
     */
    void send(HttpTransportCall call);

    /** Ends all calls and lets go of the connections. Does not block; what takes time happens soon after. */
    void close();
}
