package io.dht4j.transport.tcp.internal.client;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long a peer has been silent. A deadline that passes while nothing comes puts the connection in doubt:
 * the peer is pinged, and without an answer in time the connection is given up. Moments are those of
 * {@link System#nanoTime()}. For the loop's thread.
 */
final class PeerSilence {

    /**
     * The least time for the answer to a ping, however short the passed deadline was: twice what the failure detector
     * gives its own ping. With less, one caller with a short deadline would end everybody's connection to a peer that
     * collects its garbage.
     */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The silence after which the peer is pinged while calls with long deadlines are in flight. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long PATIENCE_AFTER_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

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

    /** Something has come. */
    void broken(long now) {
        heardAt = now;
        doubted = false;
    }

    /** Returns for how long nothing has come since a call was written; 0 if something has. */
    long since(long writtenAt, long now) {
        return writtenAt - heardAt > 0 ? now - writtenAt : 0;
    }

    /**
     * Begins to doubt the connection if there is reason to.
     *
     * @param unanswered for how long nothing came until a deadline; 0 if no deadline passed in silence
     * @param hasCalls whether calls are in flight
     * @param usedAt when the last one was written
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
            return Optional.of("no hello in time; does a node of this transport listen there?");
        }
        return doubted && doubtEnds - now <= 0 ? Optional.of("the peer was silent") : Optional.empty();
    }

    /** Returns when to look again; {@code latest} if nothing is due before. */
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
