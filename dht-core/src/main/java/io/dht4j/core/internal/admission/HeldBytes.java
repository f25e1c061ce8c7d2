package io.dht4j.core.internal.admission;

import io.dht4j.OverloadedException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one operation holds of a budget, given back once, when the operation ends. Small amounts are not counted: what bounds them is how
 * many operations are under way. Safe for use by any number of threads.
 */
public final class HeldBytes {

    /** Up to so many bytes are not counted. */
    private static final long SMALL = 4096;

    private static final long ENDED = -1;

    private final ByteBudget budget;
    private final AtomicLong held = new AtomicLong();

    /**
     * Holds nothing yet.
     *
     * @param budget what is taken from
     */
    public HeldBytes(ByteBudget budget) {
        this.budget = budget;
    }

    /**
     * Takes bytes until the end of the operation; none if that was before.
     *
     * @param bytes 0 or more
     * @return false if there are too few
     */
    public boolean take(long bytes) {
        if (bytes <= SMALL) {
            return true;
        }
        if (!budget.take(bytes)) {
            return false;
        }
        long before = held.get();
        while (before != ENDED && !held.compareAndSet(before, before + bytes)) {
            before = held.get();
        }
        if (before == ENDED) {
            budget.give(bytes);
        }
        return true;
    }

    /** Gives everything back. May be called repeatedly. */
    public void end() {
        // Most have taken nothing.
        if (held.get() == 0 && held.compareAndSet(0, ENDED)) {
            return;
        }
        long all = held.getAndSet(ENDED);
        if (all > 0) {
            budget.give(all);
        }
    }

    /**
     * What to say where there are too few.
     *
     * @return an exception that says how many there are
     */
    public OverloadedException refused() {
        return new OverloadedException("overloaded: at most " + budget.limit()
                + " bytes of values may be read at a time; ask again later, or for less at once");
    }
}
