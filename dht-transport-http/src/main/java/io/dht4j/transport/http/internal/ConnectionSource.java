package io.dht4j.transport.http.internal;

import java.util.LinkedHashSet;
import java.util.Set;

/** The connections from one source. Guarded by the lock of {@link AcceptedConnections}. */
final class ConnectionSource {

    private final Set<AcceptedConnection> unproved = new LinkedHashSet<>();
    private final Set<AcceptedConnection> publicOnes = new LinkedHashSet<>();

    /** Returns those that have made no request, the oldest first. */
    Set<AcceptedConnection> unproved() {
        return unproved;
    }

    /** Returns those that make public requests. */
    Set<AcceptedConnection> publicOnes() {
        return publicOnes;
    }

    boolean isEmpty() {
        return unproved.isEmpty() && publicOnes.isEmpty();
    }
}
