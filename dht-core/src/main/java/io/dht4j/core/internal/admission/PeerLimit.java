package io.dht4j.core.internal.admission;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many requests to one node may be outstanding. The limit begins at its maximum. It falls to three quarters of what
 * was outstanding, but at most by a half, when the node refuses a request as overloaded or takes too long for one:
 * longer by a given time than for the quickest of the last minutes, so that a node far away does not count as slow. It
 * falls once per round trip, since replies to what was sent before the last fall say nothing of it. It grows by its
 * square root per round trip while it is made use of and replies come in time.
 *
 * <p>Additive increase and multiplicative decrease let several senders find their shares without talking to each other:
 * D. Chiu and R. Jain, <em>Analysis of the Increase and Decrease Algorithms for Congestion Avoidance</em>, 1989. The
 * round trip is that of TCP NewReno (RFC 6582), the square root that of Netflix's concurrency-limits.
 *
 * <p>Without locks while the limit stands; reads no clock. Safe for use by any number of threads.
 */
public final class PeerLimit {

    private static final double FALL = 0.75;
    private static final double MOST_FALL = 0.5;
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final PeerLimits limits;
    private final AtomicInteger outstanding = new AtomicInteger();
    private final LongAdder refused = new LongAdder();

    /** Written under the lock of this. */
    private volatile int limit;

    /**
     * The quickest reply of this window, and of this and the last one. Written under the lock of this, as when it
     * began.
     */
    private volatile long windowLeast = Long.MAX_VALUE;

    private volatile long least = Long.MAX_VALUE;
    private volatile long windowBegan;

    // Guarded by this.
    private double exact;
    private boolean hasFallen;
    private long fallenNanos;

    /**
     * A limit at its maximum.
     *
     * @param limits its bounds
     */
    public PeerLimit(PeerLimits limits) {
        this.limits = limits;
        this.limit = limits.max();
        this.exact = limits.max();
    }

    /**
     * Whether a request would be let in.
     *
     * @return an answer that may be outdated at once
     */
    public boolean hasRoom() {
        return outstanding.get() < limit;
    }

    /**
     * Whether less than half of the limit is made use of.
     *
     * @return an answer that may be outdated at once
     */
    public boolean isQuiet() {
        return 2 * outstanding.get() < limit;
    }

    /**
     * Lets a request in, which must leave exactly once.
     *
     * @return false if the limit is reached: then it is counted as refused and must not leave
     */
    public boolean tryEnter() {
        if (outstanding.incrementAndGet() <= limit) {
            return true;
        }
        outstanding.decrementAndGet();
        refused.increment();
        return false;
    }

    /** Lets a request out whose end says nothing of the node's speed. */
    public void leave() {
        outstanding.decrementAndGet();
    }

    /**
     * Lets a request out.
     *
     * @param since the monotonic clock when it was let in
     * @param now the monotonic clock
     * @param overloaded whether the node refused it as overloaded
     */
    public void leave(long since, long now, boolean overloaded) {
        int before = outstanding.getAndDecrement();
        long took = now - since;
        if (!overloaded && (took < windowLeast || now - windowBegan >= WINDOW_NANOS)) {
            observe(took, now);
        }
        if (overloaded || took - limits.slowNanos() > least) {
            fall(since, now, before);
        } else if (limit < limits.max() && 2 * before >= limit) {
            grow();
        }
    }

    /**
     * Lets a request out that got no reply: how long that took says nothing of how quick the node can be.
     *
     * @param since the monotonic clock when it was let in
     * @param now the monotonic clock
     */
    public void leaveUnanswered(long since, long now) {
        int before = outstanding.getAndDecrement();
        if (now - since - limits.slowNanos() > least) {
            fall(since, now, before);
        }
    }

    private synchronized void observe(long took, long now) {
        if (windowLeast == Long.MAX_VALUE || now - windowBegan >= WINDOW_NANOS) {
            least = Math.min(windowLeast, took);
            windowLeast = took;
            windowBegan = now;
        } else {
            windowLeast = Math.min(windowLeast, took);
            least = Math.min(least, windowLeast);
        }
    }

    private synchronized void fall(long since, long now, int before) {
        if (hasFallen && since - fallenNanos < 0) {
            return;
        }
        exact = Math.max(limits.min(), Math.max(FALL * Math.min(exact, before), MOST_FALL * exact));
        limit = (int) exact;
        hasFallen = true;
        fallenNanos = now;
    }

    private synchronized void grow() {
        exact = Math.min(limits.max(), exact + 1 / Math.sqrt(exact));
        limit = (int) exact;
    }

    /**
     * The limit.
     *
     * @return a number that may be outdated at once
     */
    public int limit() {
        return limit;
    }

    /**
     * How many requests were refused.
     *
     * @return since the beginning
     */
    public long refused() {
        return refused.sum();
    }
}
