package io.dht4j;

/**
 * The order in which the operations on a key take effect, as readers see it.
 *
 * <p>Policies <i>overlap</i> if, for any two operations on the key, the sum of their {@code ack} exceeds the greater
 * {@code from}. This includes two writes and two reads. For example, 2/3 and 2/3 overlap, 1/3 and 3/3 do not.
 */
public enum Ordering {
    /**
     * Real-time order of acknowledged writes, if policies overlap. A write that begins after another was acknowledged
     * is never superseded by it, whatever the clocks show. A read that begins after a write was acknowledged returns
     * that write or a newer one. Costs no additional message unless replicas hold a newer version of the key.
     *
     * <p>Limits: while several writes of a key are in flight, reads may return one, then another, then the first again.
     */
    REAL_TIME,
    /**
     * Linearizability, if policies overlap and every writer of the key uses this ordering. Each {@code put},
     * {@code get} and {@code delete} of a key, and each key of a batch, takes effect at one moment between its start
     * and its end. With writers that use another ordering, the guarantee of {@link #REAL_TIME} holds.
     *
     * <p>A write takes one more round trip. A policy that does not overlap with itself is refused.
     *
     * <p>Source: H. Attiya, A. Bar-Noy, D. Dolev, <i>Sharing Memory Robustly in Message-Passing Systems</i>, 1995; for
     * several writers, N. Lynch and A. Shvartsman, <i>Robust Emulation of Shared Memory Using Dynamic
     * Quorum-Acknowledged Broadcasts</i>, 1997.
     */
    LINEARIZABLE
}
