package io.dht4j.core.internal.admission;

import io.dht4j.NodeGauges.Bounded;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the number of bytes of values that are held. Requests past the limit are refused at once. None waits, so that
 * no deadlock is possible. Lock-free; safe for use by any number of threads.
 */
public final class ByteBudget {

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    /**
     * Creates an unused budget.
     *
     * @param limit the maximum number of bytes held
     */
    public ByteBudget(long limit) {
        this.limit = limit;
    }

    /**
     * Takes bytes, which the caller {@linkplain #give releases} later. Grants more than the limit if no other holder
     * has any.
     *
     * @param bytes 0 or more
     * @param own the number of bytes that the caller holds already and that do not count; 0 if all count
     * @return false if there are too few; then none are taken
     */
    public boolean take(long bytes, long own) {
        long before = held.getAndAdd(bytes);
        if (before > own && before + bytes > limit) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /**
     * Releases bytes.
     *
     * @param bytes the number that was taken
     */
    public void give(long bytes) {
        held.addAndGet(-bytes);
    }

    /**
     * Returns the bytes that are held, and their limit.
     *
     * @return bytes that may be outdated at once
     */
    public Bounded held() {
        return new Bounded(held.get(), limit);
    }

    /**
     * Returns the maximum number of bytes held.
     *
     * @return the limit
     */
    public long limit() {
        return limit;
    }
}
