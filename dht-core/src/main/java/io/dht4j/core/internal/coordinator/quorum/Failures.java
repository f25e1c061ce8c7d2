package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import java.util.ArrayList;
import java.util.List;

/** Collects the failures of replicas in one operation, for its error. Safe for use by any number of threads. */
public final class Failures {

    /** The maximum number of failures in a message. */
    private static final int MOST = 8;

    // Guarded by this. Most operations have no failures.
    private List<PeerFailure> all = List.of();
    private int leftOut;

    /**
     * Adds a failure.
     *
     * @param failure the failure of one request
     */
    public synchronized void add(PeerFailure failure) {
        if (all.isEmpty()) {
            all = new ArrayList<>(2);
        }
        if (all.size() < MOST) {
            all.add(failure);
        } else {
            leftOut++;
        }
    }

    /** Returns the failures, a semicolon before each; empty if there are none. */
    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        all.stream()
                .map(PeerFailure::toString)
                .distinct()
                .forEach(each -> text.append("; ").append(each));
        return leftOut == 0 ? text.toString() : text + "; and " + leftOut + " more";
    }
}
