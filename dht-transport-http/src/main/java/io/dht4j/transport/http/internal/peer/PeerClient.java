package io.dht4j.transport.http.internal.peer;

import io.dht4j.PeerConnections;
import java.util.Optional;

/**
 * The calls to one peer, over one kind of HTTP client. Implementations bound the waiting calls and the calls in flight,
 * and end every call by its deadline. Safe for use by any number of threads.
 */
public interface PeerClient {

    /**
     * Takes a waiting call. The call always ends: with a reply, by its deadline, or when the client is closed. Does not
     * block.
     */
    void send(PeerCall call);

    /** Returns the connections to the peer; empty, as by default, if the client does not show them. */
    default Optional<PeerConnections> connections() {
        return Optional.empty();
    }

    /**
     * Ends all calls and releases the connections. Does not block; slow steps follow soon afterwards.
     *
     * @param why the reason, with which the calls fail
     */
    void close(String why);
}
