package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    public String toString() {
        return atDeadline(Stream.of());
    }

    /**
     * Returns the failures, and the nodes that are silent.
     *
     * @param unanswered the nodes of requests without an outcome; those that have failed a request are not silent
     * @return the reasons, a semicolon before each; empty if there are none
     */
    public synchronized String atDeadline(Stream<NodeId> unanswered) {
        List<NodeId> silent = unanswered
                .distinct()
                .filter(node -> all.stream().noneMatch(failure -> failure.node().equals(node)))
                .toList();
        String text = Stream.concat(
                        all.stream().map(PeerFailure::toString).distinct(),
                        silent.stream().limit(MOST).map(node -> node + ": no answer"))
                .map(each -> "; " + each)
                .collect(Collectors.joining());
        int more = leftOut + Math.max(0, silent.size() - MOST);
        return more == 0 ? text : text + "; and " + more + " more";
    }
}
