package io.dht4j.core.internal.admission;

import io.dht4j.OverloadedException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one operation holds of a budget, given back once, when the operation ends. Small amounts are not counted: what
 * bounds them is how many operations are under way. Safe for use by any number of threads.
 */
public final class HeldBytes {

    /** Up to so many bytes are not counted. */
    private static final long SMALL = 4096;

    private static final long ENDED = -1;

    private final ByteBudget budget;
    private final boolean isBounded;
    private final AtomicLong held = new AtomicLong();

    /**
     * Holds nothing yet.
     *
     * @param budget what is taken from
     * @param isBounded whether the operation holds no more than some values of the largest size: then it may exceed the
     *     limit while nobody else holds anything, since it could never be done otherwise
     */
    public HeldBytes(ByteBudget budget, boolean isBounded) {
        this.budget = budget;
        this.isBounded = isBounded;
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
        if (!budget.take(bytes, isBounded ? Math.max(0, held.get()) : 0)) {
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

    /**
     * Gives back what the operation no longer holds.
     *
     * @param bytes how many it holds at most, 0 or more
     */
    public void shrinkTo(long bytes) {
        long before = held.get();
        while (before > bytes && !held.compareAndSet(before, bytes)) {
            before = held.get();
        }
        if (before > bytes) {
            budget.give(before - bytes);
        }
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
