package io.dht4j.core.internal.admission;

import io.dht4j.OverloadedException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that one operation holds of a budget, released once, when the operation ends. Small amounts are not
 * counted, since the number of operations in flight bounds them. Safe for use by any number of threads.
 */
public final class HeldBytes {

    /** Amounts up to this many bytes are not counted. */
    private static final long SMALL = 4096;

    private static final long ENDED = -1;

    private final ByteBudget budget;
    private final boolean isBounded;
    private final AtomicLong held = new AtomicLong();

    /**
     * Creates an object without bytes.
     *
     * @param budget the budget
     * @param isBounded whether the operation holds no more than some values of the largest size. Such an operation may
     *     exceed the limit while no other holds bytes; otherwise it could never complete
     */
    public HeldBytes(ByteBudget budget, boolean isBounded) {
        this.budget = budget;
        this.isBounded = isBounded;
    }

    /**
     * Takes bytes until the end of the operation; none after the end.
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
     * Releases the bytes that the operation no longer holds.
     *
     * @param bytes the maximum number that it still holds, 0 or more
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

    /** Releases all bytes. May be called repeatedly. */
    public void end() {
        // Most operations have taken no bytes.
        if (held.get() == 0 && held.compareAndSet(0, ENDED)) {
            return;
        }
        long all = held.getAndSet(ENDED);
        if (all > 0) {
            budget.give(all);
        }
    }

    /**
     * Returns the exception for a lack of bytes.
     *
     * @return an exception that names the limit
     */
    public OverloadedException refused() {
        return new OverloadedException("overloaded: at most " + budget.limit()
                + " bytes of values may be read at a time; ask again later, or for less at once");
    }
}
