package io.dht4j;

/**
 * In which order the operations on a key take effect, as seen by those who read it. Policies <i>overlap</i> if for any
 * two operations on the key, write and write or read and read among them, {@code ack} of both together is more than the
 * greater {@code from}: 2/3 with 2/3 does, 1/3 with 3/3 does not.
 */
public enum Ordering {
    /**
     * With policies that overlap, a write that begins after another one was acknowledged is never superseded by it,
     * whatever the clocks show, and a read that begins after a write was acknowledged returns it or a newer one. Costs
     * no message more than an acknowledgement. What is left open: while several writes of a key are under way, one may
     * be read, then another one, then the first again.
     */
    REAL_TIME,
    /**
     * With policies that overlap, {@code put}, {@code get} and {@code delete} of a key, and each key of a batch, take
     * effect one after the other at one moment between their beginning and their end, if every writer of that key asks
     * for this. Beside writers that do not, the promise of {@link #REAL_TIME} holds. A write takes one round trip more;
     * a policy that does not overlap with itself is refused. Source: H. Attiya, A. Bar-Noy, D. Dolev, <i>Sharing Memory
     * Robustly in Message-Passing Systems</i>, 1995, for several writers as by N. Lynch and A. Shvartsman, <i>Robust
     * Emulation of Shared Memory Using Dynamic Quorum-Acknowledged Broadcasts</i>, 1997.
     */
    LINEARIZABLE
}
