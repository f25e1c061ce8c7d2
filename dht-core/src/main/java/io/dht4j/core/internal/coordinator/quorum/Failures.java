package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import java.util.ArrayList;
import java.util.List;

/** Why replicas have failed an operation, for its error. Safe for use by any number of threads. */
public final class Failures {

    /** More would make no message clearer. */
    private static final int MOST = 8;

    // Guarded by this. Most operations have none.
    private List<PeerFailure> all = List.of();
    private int leftOut;

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

    /** Each behind a semicolon; empty if nobody has failed. */
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
