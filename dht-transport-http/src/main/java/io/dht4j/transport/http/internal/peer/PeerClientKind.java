package io.dht4j.transport.http.internal.peer;

/**
 * The transport's side of a kind of client; applications see its name alone. Every {@code HttpClientKind} of this
 * project is one too, which makes a kind of another project known as such. Immutable.
 */
public interface PeerClientKind {

    /** As many connections to a peer as any kind may have. */
    int MOST_CONNECTIONS = 10_000;

    /** Returns the default number of connections to a peer, 1 or more. */
    int defaultConnections();

    /** Returns the largest number of connections to a peer. */
    int maxConnections();

    /** Returns what makes the clients. */
    PeerClients.Factory clients();
}
