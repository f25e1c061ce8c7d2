package io.dht4j.transport.tcp.internal.client;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long a peer has been silent. A deadline that passes without received bytes makes the connection suspect:
 * the peer is pinged, and without an answer in time the connection is closed. Moments are those of
 * {@link System#nanoTime()}. For the loop's thread.
 */
final class PeerSilence {

    /**
     * The least time for the answer to a ping, also after a short deadline: twice the time that the failure detector
     * gives its own ping. With less, one caller with a short deadline would end the connection of all callers to a peer
     * in a garbage collection.
     */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The silence after which the peer is pinged while calls with long deadlines are in flight. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long PATIENCE_AFTER_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Ends the reason of a failure where a peer has accepted the connection without a hello. */
    static final String DOUBT = "; does a node of this transport listen there?";

    private final long greetBy;
    private boolean greeted;
    private long heardAt = System.nanoTime();
    private boolean doubted;
    private boolean mustPing;
    private long doubtEnds;

    /** Begins with a peer that has to greet by a moment. */
    PeerSilence(long greetBy) {
        this.greetBy = greetBy;
    }

    void greeted() {
        greeted = true;
    }

    /** Records that bytes have arrived. */
    void broken(long now) {
        heardAt = now;
        doubted = false;
    }

    /** Returns the time without received bytes since a call was written; 0 if bytes have arrived since. */
    long since(long writtenAt, long now) {
        return writtenAt - heardAt > 0 ? now - writtenAt : 0;
    }

    /**
     * Makes the connection suspect if there is a reason.
     *
     * @param unanswered the time without received bytes until a deadline; 0 if no deadline passed in silence
     * @param hasCalls whether calls are in flight
     * @param usedAt the time at which the last one was written
     * @return whether the peer has to be pinged now
     */
    boolean isDoubtful(long now, long unanswered, boolean hasCalls, long usedAt) {
        if (!greeted || doubted) {
            return false;
        }
        if (unanswered > 0) {
            doubt(now + Math.max(unanswered, LEAST_PATIENCE_NANOS));
        } else if (hasCalls && pingAt(usedAt) - now <= 0) {
            doubt(now + PATIENCE_AFTER_SILENCE_NANOS);
        }
        return doubted;
    }

    private void doubt(long until) {
        doubted = true;
        mustPing = true;
        doubtEnds = until;
    }

    /** A call that was written after the last bytes came gives the peer as much time. */
    private long pingAt(long usedAt) {
        return (usedAt - heardAt > 0 ? usedAt : heardAt) + SILENCE_NANOS;
    }

    boolean isDoubted() {
        return doubted;
    }

    boolean mustPing() {
        return mustPing;
    }

    void pinged() {
        mustPing = false;
    }

    /** Returns why the connection has to be given up; empty if it need not. */
    Optional<String> verdict(long now) {
        if (!greeted && greetBy - now <= 0) {
            return Optional.of("no hello in time" + DOUBT);
        }
        return doubted && doubtEnds - now <= 0 ? Optional.of("the peer was silent") : Optional.empty();
    }

    /** Returns the time of the next check, {@code latest} at the latest. */
    long nextLook(long latest, boolean hasCalls, long usedAt) {
        if (!greeted) {
            return greetBy;
        }
        if (doubted) {
            return doubtEnds;
        }
        return hasCalls ? pingAt(usedAt) : latest;
    }
}
