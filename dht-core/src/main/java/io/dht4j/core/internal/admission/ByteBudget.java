package io.dht4j.core.internal.admission;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how many bytes of values are held. Whoever comes past the limit is refused at once: nothing waits, so that
 * nobody can wait for somebody who waits for him. Without locks; safe for use by any number of threads.
 */
public final class ByteBudget {

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    /**
     * A budget of which nothing is taken.
     *
     * @param limit how many bytes may be held
     */
    public ByteBudget(long limit) {
        this.limit = limit;
    }

    /**
     * Takes bytes, to be {@linkplain #give given} back. More than the limit are given out when nobody holds any but the
     * own.
     *
     * @param bytes 0 or more
     * @param own how many bytes whoever takes them holds already and need not count; 0 if all count
     * @return false if there are too few; nothing is taken then
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
     * Gives bytes back.
     *
     * @param bytes as they were taken
     */
    public void give(long bytes) {
        held.addAndGet(-bytes);
    }

    /**
     * How many bytes may be held.
     *
     * @return the limit
     */
    public long limit() {
        return limit;
    }
}
