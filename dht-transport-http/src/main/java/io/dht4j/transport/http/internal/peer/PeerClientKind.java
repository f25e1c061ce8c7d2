package io.dht4j.transport.http.internal.peer;

/**
 * The internal part of a kind of client; applications use only its name. Every {@code HttpClientKind} of this project
 * implements it, which distinguishes it from foreign kinds. Immutable.
 */
public interface PeerClientKind {

    /** The maximum number of connections to a peer for any kind. */
    int MOST_CONNECTIONS = 10_000;

    /** Returns the default number of connections to a peer, 1 or more. */
    int defaultConnections();

    /** Returns the largest number of connections to a peer. */
    int maxConnections();

    /** Returns the factory of the clients. */
    PeerClients.Factory clients();
}
