package io.dht4j.core.internal.coordinator.write;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.NodeId;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.quorum.Failures;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Collects the failures of one write, and creates the error that its caller gets. Safe for use by any number of
 * threads.
 */
final class WriteFailures {

    private final Failures all = new Failures();
    private volatile @Nullable PeerFailure last;
    /** Whether a replica holds a version of a wrong clock. */
    private volatile boolean tooFarAhead;

    void add(PeerFailure failure) {
        last = failure;
        all.add(failure);
    }

    void tooFarAhead() {
        tooFarAhead = true;
    }

    /** Returns the last failure; null if there is none. */
    @Nullable
    PeerFailure last() {
        return last;
    }

    /** Returns the reasons for a message, a semicolon before each; empty if there are none. */
    @Override
    public String toString() {
        return atDeadline(Stream.of());
    }

    /** Returns the reasons, and the nodes that are silent, as {@link Failures#atDeadline} does. */
    String atDeadline(Stream<NodeId> unanswered) {
        return all.atDeadline(unanswered)
                + (tooFarAhead ? "; replicas hold a version of the key that is too far ahead of their clocks" : "");
    }

    /**
     * Returns the error of a write.
     *
     * @param message the counts and the reasons
     * @param nothingDone whether no replica has done it, or will
     * @param last the last failure; null if it does not determine the kind of error
     */
    static DhtException error(String message, boolean nothingDone, @Nullable PeerFailure last) {
        if (!nothingDone) {
            return new IndeterminateException(ErrorCode.WRITE_INDETERMINATE, "write not confirmed: " + message);
        }
        if (last != null && last.code().action() == ErrorCode.Action.BACK_OFF) {
            return DhtException.of(last.code(), message);
        }
        return new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, "nothing written: " + message);
    }
}
