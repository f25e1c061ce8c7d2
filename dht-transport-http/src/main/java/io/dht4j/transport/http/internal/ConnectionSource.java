package io.dht4j.transport.http.internal;

import java.util.LinkedHashSet;
import java.util.Set;

/** The connections from one place. Guarded by the lock of {@link AcceptedConnections}. */
final class ConnectionSource {

    private final Set<AcceptedConnection> unproved = new LinkedHashSet<>();
    private final Set<AcceptedConnection> publicOnes = new LinkedHashSet<>();

    /** Those that have made no request, the oldest first. */
    Set<AcceptedConnection> unproved() {
        return unproved;
    }

    /** Those that make public requests. */
    Set<AcceptedConnection> publicOnes() {
        return publicOnes;
    }

    boolean isEmpty() {
        return unproved.isEmpty() && publicOnes.isEmpty();
    }
}
