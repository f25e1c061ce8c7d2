package io.dht4j.core.internal.coordinator.write;

import io.dht4j.Node;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * What replicas missed of a write, until it is clear whether they shall get it later: a write that certainly was not
 * done must not be done by a hint, nor one whose stamp was replaced. Safe for use by any number of threads.
 */
final class MissedWrites {

    private final Handoff handoff;
    // Guarded by this.
    private List<Miss> misses = List.of();
    /** What is offered again later, as long as the fate is undecided. */
    private List<ParkedWrites.Offer> parked = List.of();

    private Fate fate = Fate.UNDECIDED;

    private enum Fate {
        UNDECIDED,
        /** It was done, or may have been. */
        KEEP,
        /** It certainly was not done. */
        FORGET
    }

    /** An entry of a write, with the stamp of one round. */
    interface Stamped {

        Entry entry();

        /** Whether the entry got another stamp since. */
        boolean isReplaced();
    }

    private record Miss(Node node, List<? extends Stamped> entries) {}

    MissedWrites(Handoff handoff) {
        this.handoff = handoff;
    }

    /** A replica has not confirmed. */
    void add(Node node, List<? extends Stamped> entries) {
        synchronized (this) {
            if (fate == Fate.UNDECIDED) {
                if (misses.isEmpty()) {
                    misses = new ArrayList<>();
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
     * Holds an offer until it is taken up again.
     *
     * @return false if the fate of the write is decided: then no replica is offered it any more
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

    /** Forgets an offer that is taken up again, or was given up. */
    synchronized void unpark(ParkedWrites.Offer offer) {
        if (!parked.isEmpty()) {
            parked.remove(offer);
        }
    }

    private void hint(Node node, List<? extends Stamped> stamped) {
        List<Entry> entries = new ArrayList<>(stamped.size());
        for (Stamped each : stamped) {
            if (!each.isReplaced()) {
                entries.add(each.entry());
            }
        }
        if (!entries.isEmpty()) {
            handoff.missed(node, entries);
        }
    }

    /**
     * The write was done, or may have been: whoever missed it, or is going to, shall get it. What is parked is given
     * up.
     *
     * @return whether this decides; if not, the outcome is another one already
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
            hint(until.get(i).node(), until.get(i).entries());
        }
        for (int i = 0; i < offers.size(); i++) {
            offers.get(i).giveUp();
        }
        return true;
    }

    /**
     * The write certainly was not done, and never will be.
     *
     * @return whether this decides; if not, the outcome is another one already
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
        offers.forEach(ParkedWrites.Offer::giveUp);
        return true;
    }
}
