package io.dht4j.core.internal.admission;

import io.dht4j.NodeGauges.Bounded;
import io.dht4j.core.options.OverloadProtection.PeerRequests;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Limits the number of outstanding requests to one node. The limit begins at its maximum. It falls when the node
 * refuses a request as overloaded or takes too long for one. It falls to three quarters of the outstanding requests,
 * but at most by a half. Too long means longer by a given time than the quickest reply of the last minutes, so that a
 * distant node does not count as slow. The limit falls once per round trip, since replies to requests sent before the
 * last fall carry no new information. It grows by its square root per round trip while it is in use and replies are in
 * time. It doubles after every ten seconds without a fall, in use or not. Otherwise rare stalls, each of which says
 * little about the next minute, would add up to the least limit, and a burst that the node could serve would be
 * refused.
 *
 * <p>Additive increase and multiplicative decrease let several senders find their shares without communication: D. Chiu
 * and R. Jain, <em>Analysis of the Increase and Decrease Algorithms for Congestion Avoidance</em>, 1989. The round trip
 * is that of TCP NewReno (RFC 6582), the square root that of Netflix's concurrency-limits.
 *
 * <p>Lock-free while the limit is constant; reads no clock. Safe for use by any number of threads.
 */
public final class PeerLimit {

    private static final double FALL = 0.75;
    private static final double MOST_FALL = 0.5;
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final int min;
    private final int max;
    private final long slowNanos;
    private final AtomicInteger outstanding = new AtomicInteger();
    private final LongAdder refused = new LongAdder();

    /** Written under the lock of this. */
    private volatile int limit;

    /**
     * The quickest reply of this window; below, of this and the last window, and when this window began. Written under
     * the lock of this.
     */
    private volatile long windowLeast = Long.MAX_VALUE;

    private volatile long least = Long.MAX_VALUE;
    private volatile long windowBegan;

    /** When the limit fell or doubled last. Written under the lock of this. */
    private volatile long calmSince;

    // Guarded by this.
    private double exact;
    private boolean hasFallen;
    private long fallenNanos;

    /**
     * Creates a limit at its maximum.
     *
     * @param bounds its bounds
     */
    public PeerLimit(PeerRequests bounds) {
        this.min = bounds.min();
        this.max = bounds.max();
        this.slowNanos = bounds.slowReply().toNanos();
        this.limit = max;
        this.exact = max;
    }

    /**
     * Returns whether a request would be admitted.
     *
     * @return an answer that may be outdated at once
     */
    public boolean hasRoom() {
        return outstanding.get() < limit;
    }

    /**
     * Returns whether less than half of the limit is in use.
     *
     * @return an answer that may be outdated at once
     */
    public boolean isQuiet() {
        return 2 * outstanding.get() < limit;
    }

    /**
     * Admits a request, which must leave exactly once.
     *
     * @return false if the limit is reached: then the request is counted as refused and must not leave
     */
    public boolean tryEnter() {
        if (outstanding.incrementAndGet() <= limit) {
            return true;
        }
        outstanding.decrementAndGet();
        refused.increment();
        return false;
    }

    /** Removes a request whose end carries no information on the node's speed. */
    public void leave() {
        outstanding.decrementAndGet();
    }

    /**
     * Removes a request.
     *
     * @param since the monotonic clock when it was admitted
     * @param now the monotonic clock
     * @param overloaded whether the node refused it as overloaded
     */
    public void leave(long since, long now, boolean overloaded) {
        int before = outstanding.getAndDecrement();
        long took = now - since;
        if (!overloaded && (took < windowLeast || now - windowBegan >= WINDOW_NANOS)) {
            observe(took, now);
        }
        if (overloaded || took - slowNanos > least) {
            fall(since, now, before);
        } else if (limit < max) {
            if (2 * before >= limit) {
                grow();
            }
            if (now - calmSince >= CALM_NANOS) {
                recover(now);
            }
        }
    }

    /**
     * Removes a request without a reply: its duration does not count as a quickest reply.
     *
     * @param since the monotonic clock when it was admitted
     * @param now the monotonic clock
     */
    public void leaveUnanswered(long since, long now) {
        int before = outstanding.getAndDecrement();
        if (now - since - slowNanos > least) {
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
        exact = Math.max(min, Math.max(FALL * Math.min(exact, before), MOST_FALL * exact));
        limit = (int) exact;
        hasFallen = true;
        fallenNanos = now;
        calmSince = now;
    }

    private synchronized void recover(long now) {
        long doublings = (now - calmSince) / CALM_NANOS;
        if (doublings > 0) {
            exact = Math.min(max, Math.scalb(exact, (int) Math.min(Integer.SIZE, doublings)));
            limit = (int) exact;
            calmSince = now;
        }
    }

    private synchronized void grow() {
        exact = Math.min(max, exact + 1 / Math.sqrt(exact));
        limit = (int) exact;
    }

    /**
     * Returns the limit.
     *
     * @return a number that may be outdated at once
     */
    public int limit() {
        return limit;
    }

    /**
     * Returns the number of outstanding requests, and the limit.
     *
     * @return a number that may be outdated at once
     */
    public Bounded outstanding() {
        return new Bounded(outstanding.get(), limit);
    }

    /**
     * Returns the number of refused requests.
     *
     * @return the number since the start
     */
    public long refused() {
        return refused.sum();
    }
}
