package io.dht4j.core.internal.coordinator.write;

import io.dht4j.Node;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the replicas that have missed a write, until its outcome decides whether they get hints. A write that was
 * certainly not done gets no hints, since a hint would carry it out. Neither does an entry whose version was replaced.
 * Does not block; safe for use by any number of threads.
 */
final class MissedWrites {

    private static final Logger LOG = LoggerFactory.getLogger(MissedWrites.class);

    private final Handoff handoff;
    // Guarded by this.
    private List<Miss> misses = List.of();
    /** The offers to be repeated while the fate is undecided. */
    private List<ParkedWrites.Offer> parked = List.of();

    private Fate fate = Fate.UNDECIDED;

    private enum Fate {
        UNDECIDED,
        /** The write was done, or may have been. */
        KEEP,
        /** The write was certainly not done. */
        FORGET
    }

    /** An entry of a write with one version. */
    interface Versioned {

        Entry entry();

        /** Returns whether the entry has been sent again since, with another version or by another table. */
        boolean isReplaced();
    }

    private record Miss(Node node, List<? extends Versioned> entries) {}

    MissedWrites(Handoff handoff) {
        this.handoff = handoff;
    }

    /** Records a replica that has not acknowledged. */
    void add(Node node, List<? extends Versioned> entries) {
        synchronized (this) {
            if (fate == Fate.UNDECIDED) {
                if (misses.isEmpty()) {
                    misses = new ArrayList<>(1);
                }
                misses.add(new Miss(node, entries));
                return;
            }
            if (fate == Fate.FORGET) {
                return;
            }
        }
        hint(node, entries);
    }

    /**
     * Holds an offer until it is repeated.
     *
     * @return false if the fate of the write is decided: then it is no longer offered to any replica
     */
    synchronized boolean park(ParkedWrites.Offer offer) {
        if (fate != Fate.UNDECIDED) {
            return false;
        }
        if (parked.isEmpty()) {
            parked = new ArrayList<>();
        }
        parked.add(offer);
        return true;
    }

    /** Removes an offer that is repeated or abandoned. */
    synchronized void unpark(ParkedWrites.Offer offer) {
        if (!parked.isEmpty()) {
            parked.remove(offer);
        }
    }

    private void hint(Node node, List<? extends Versioned> writes) {
        List<Entry> entries = new ArrayList<>(writes.size());
        for (Versioned each : writes) {
            if (!each.isReplaced()) {
                entries.add(each.entry());
            }
        }
        if (!entries.isEmpty()) {
            handoff.missed(node, entries);
        }
    }

    /**
     * Decides that the write was done, or may have been: replicas that have missed it, or will, get hints. Abandons
     * parked offers.
     *
     * @return false if the fate was decided before
     */
    boolean keep() {
        List<Miss> until;
        List<ParkedWrites.Offer> offers;
        synchronized (this) {
            if (fate != Fate.UNDECIDED) {
                return false;
            }
            fate = Fate.KEEP;
            until = misses;
            misses = List.of();
            offers = parked;
            parked = List.of();
        }
        for (int i = 0; i < until.size(); i++) {
            Miss miss = until.get(i);
            guarded(() -> hint(miss.node(), miss.entries()));
        }
        abandon(offers);
        return true;
    }

    /**
     * Decides that the write was certainly not done, and never will be.
     *
     * @return false if the fate was decided before
     */
    boolean forget() {
        List<ParkedWrites.Offer> offers;
        synchronized (this) {
            if (fate != Fate.UNDECIDED) {
                return false;
            }
            fate = Fate.FORGET;
            misses = List.of();
            offers = parked;
            parked = List.of();
        }
        abandon(offers);
        return true;
    }

    private static void abandon(List<ParkedWrites.Offer> offers) {
        for (int i = 0; i < offers.size(); i++) {
            guarded(offers.get(i)::abandon);
        }
    }

    /** Runs the consequences of the decision. Their failure does not affect the caller's outcome. */
    private static void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a replica that has missed a write gets no hint", e);
        }
    }

    /** Returns whether the fate is decided. */
    synchronized boolean isDecided() {
        return fate != Fate.UNDECIDED;
    }
}
