package io.dht4j.transport.http;

import io.dht4j.transport.http.internal.peer.PeerClientKind;
import io.dht4j.transport.http.internal.peer.PeerClients;

/** A kind of Vert.x's client. */
record VertxClientKind(String label, int defaultConnections, PeerClients.Factory clients)
        implements HttpClientKind, PeerClientKind {

    @Override
    public int maxConnections() {
        return MOST_CONNECTIONS;
    }

    /** Returns the label. */
    @Override
    public String toString() {
        return label;
    }
}
