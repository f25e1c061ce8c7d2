package io.dht4j.transport.http.internal.netty;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;

/** The connections from one source. Guarded by the lock of {@link AcceptedConnections}. */
final class ConnectionSource {

    private final Set<AcceptedConnection> unproved = new LinkedHashSet<>();
    private final Set<AcceptedConnection> publicOnes = new LinkedHashSet<>();
    private final Queue<IdleConnections.Candidate> chosen = new ArrayDeque<>(0);
    private long notBefore = System.nanoTime();

    /** Returns those that have made no request, the oldest first. */
    Set<AcceptedConnection> unproved() {
        return unproved;
    }

    /** Returns those that make public requests. */
    Set<AcceptedConnection> publicOnes() {
        return publicOnes;
    }

    /** The connections that were idle at the last search, the longest idle one first. */
    Queue<IdleConnections.Candidate> chosen() {
        return chosen;
    }

    /** When they may be looked through again for a new connection from here, by {@link System#nanoTime()}. */
    long notBefore() {
        return notBefore;
    }

    void notBefore(long moment) {
        notBefore = moment;
    }

    boolean isEmpty() {
        return unproved.isEmpty() && publicOnes.isEmpty();
    }
}
