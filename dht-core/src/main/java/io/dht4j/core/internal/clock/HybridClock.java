package io.dht4j.core.internal.clock;

import io.dht4j.Version;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A hybrid logical clock: never behind the wall clock, never behind any observed version, and every version greater
 * than the one before. Source: Kulkarni, Demirbas, Madappa, Avva, Leone, <i>Logical Physical Clocks and Consistent
 * Snapshots in Globally Distributed Databases</i>, 2014. After 65,536 versions within a millisecond, the counter
 * carries into the milliseconds. Safe for use by any number of threads; does not block.
 */
public final class HybridClock {

    /** The parts of a node's slot: for versions within the limit for other nodes' versions, and beyond it. */
    private static final int PARTS_OF_A_SLOT = 2;

    private static final int WITHIN = 0;
    private static final int BEYOND = 1;

    private final LongSupplier wallMillis;
    private final LongSupplier steadyMillis;
    private final long maxSkewMillis;
    private final int slot;
    private final int slots;
    private final int parts;
    private final AtomicLong last = new AtomicLong();
    /** The last version issued beyond the limit. */
    private final AtomicLong lastBeyond = new AtomicLong();
    /** The greatest version that may have been issued before the start and that the clock does not follow. */
    private final AtomicLong avoided = new AtomicLong();

    /**
     * Creates a clock without observed versions.
     *
     * @param wallMillis the wall clock in milliseconds since 1970
     * @param maxSkewMillis how far a version of another node may be ahead of the wall clock
     */
    public HybridClock(LongSupplier wallMillis, long maxSkewMillis) {
        this(wallMillis, wallMillis, maxSkewMillis, 0, 1, 1);
    }

    /**
     * Creates the clock of one of several nodes, without observed versions.
     *
     * @param wallMillis the wall clock in milliseconds since 1970
     * @param nanoTime a monotonic clock
     * @param maxSkewMillis how far a version of another node may be ahead of the wall clock
     * @param slot the node's slot, 0 to {@code slots - 1}
     * @param slots the number of slots, a power of two up to 4096, the same on every node
     */
    public HybridClock(LongSupplier wallMillis, LongSupplier nanoTime, long maxSkewMillis, int slot, int slots) {
        this(wallMillis, steady(wallMillis, nanoTime), maxSkewMillis, slot, slots, PARTS_OF_A_SLOT);
    }

    private HybridClock(
            LongSupplier wallMillis, LongSupplier steadyMillis, long maxSkewMillis, int slot, int slots, int parts) {
        this.wallMillis = wallMillis;
        this.steadyMillis = steadyMillis;
        this.maxSkewMillis = maxSkewMillis;
        this.slot = slot;
        this.slots = slots;
        this.parts = parts;
    }

    /** Returns a wall clock that ignores later settings of the real one. */
    private static LongSupplier steady(LongSupplier wallMillis, LongSupplier nanoTime) {
        long millis = wallMillis.getAsLong();
        long nanos = nanoTime.getAsLong();
        return () -> millis + (nanoTime.getAsLong() - nanos) / 1_000_000;
    }

    /**
     * Continues above the versions beyond the limit that were issued before the node started.
     *
     * @param given the greatest of them, or a greater one
     */
    void resumeBeyond(Version given) {
        lastBeyond.accumulateAndGet(given.packed(), Math::max);
    }

    /**
     * Avoids the versions that may have been issued before the node started, when the clock was far ahead. The clock
     * does not continue above those versions, since other nodes would refuse that. It issues from the part of the slot
     * for versions beyond the limit until it has passed them.
     *
     * @param given the greatest of them, or a greater one
     */
    void avoidUpTo(Version given) {
        avoided.accumulateAndGet(given.packed(), Math::max);
    }

    /** Returns the greatest version to avoid, or zero. */
    Version avoided() {
        return new Version(avoided.get());
    }

    /**
     * Issues a new version.
     *
     * @return greater than all issued and all observed before, except those that {@link #above} issued beyond the limit
     */
    public Version next() {
        long now = wallMillis.getAsLong() << Version.COUNTER_BITS;
        while (true) {
            long seen = last.get();
            long next = unissued(Math.max(now, seen + 1));
            if (last.compareAndSet(seen, next)) {
                return new Version(next);
            }
        }
    }

    /**
     * Issues a version that supersedes a version reported by a replica, however far ahead that is; replicas judge
     * whether it is too far. {@link #next()} does not follow a version beyond the limit for other nodes, so that a
     * false report cannot push the clock. The current wall clock is no lower bound, since it may have been set during
     * the call.
     *
     * @param newest the version to supersede
     * @return greater than it and than all issued and observed before; never issued by this clock before
     */
    public Version above(Version newest) {
        long limit = limitMillis();
        while (true) {
            long seen = last.get();
            long given = lastBeyond.get();
            long least = Math.max(seen, newest.packed()) + 1;
            // An earlier version beyond the limit may be within it now.
            if (given >> Version.COUNTER_BITS <= limit) {
                least = Math.max(least, given + 1);
            }
            long next = unissued(least);
            if (next >>> Version.COUNTER_BITS <= limit) {
                if (last.compareAndSet(seen, next)) {
                    return new Version(next);
                }
            } else {
                long beyond = inSlot(Math.max(least, given + 1), BEYOND);
                if (lastBeyond.compareAndSet(given, beyond)) {
                    return new Version(beyond);
                }
            }
        }
    }

    /** Returns the first version of this node that is not less and that it has not issued before its start. */
    private long unissued(long version) {
        long within = inSlot(version, WITHIN);
        if (within > avoided.get()) {
            return within;
        }
        long reserve = inSlot(version, BEYOND);
        // Of the versions beyond the limit, those up to the last one may have been issued too.
        return reserve > lastBeyond.get() ? reserve : within;
    }

    /** Returns the first version in a part of this node's slot that is not less. */
    private long inSlot(long version, int part) {
        int place = slot + slots * (part % parts);
        return version + ((place - version) & ((long) slots * parts - 1));
    }

    /**
     * Returns whether a version of this clock is in the part of the slot for versions beyond the limit.
     *
     * @param given a version issued by this clock
     * @return true if it was beyond the limit at that time, or was to be {@linkplain #avoidUpTo avoided} in the other
     *     part
     */
    boolean isBeyond(Version given) {
        return (given.packed() / slots & (parts - 1)) == BEYOND;
    }

    /** Returns the greatest version issued or observed, without those beyond the limit. */
    Version last() {
        return new Version(last.get());
    }

    /**
     * Returns the greatest version issued or observed, or the wall clock if that is ahead.
     *
     * @return a version that may have been issued already
     */
    public Version current() {
        return new Version(Math.max(wallMillis.getAsLong() << Version.COUNTER_BITS, last.get()));
    }

    /**
     * Observes a version of another node, so that later versions of this clock are greater. A version that is too far
     * ahead is ignored: one wrong clock must not affect the cluster.
     *
     * @param version the received version
     * @return false if the version is ahead of the wall clock by more than the allowed skew
     */
    public boolean observe(Version version) {
        long packed = version.packed();
        long seen = last.get();
        if (packed >= 0 && packed <= seen) {
            return true;
        }
        if (isTooFarAhead(version)) {
            return false;
        }
        while (packed > seen && !last.compareAndSet(seen, packed)) {
            seen = last.get();
        }
        return true;
    }

    /**
     * Returns whether a version is impossible for another node unless its clock or this node's is wrong. A wall clock
     * that was set back counts only after the next start; until then correct versions of others are accepted.
     *
     * @param version the received version
     * @return true if it is ahead by more than the allowed skew, both of the wall clock and of the wall clock without
     *     settings since the start
     */
    public boolean isTooFarAhead(Version version) {
        return version.millis() > limitMillis();
    }

    private long limitMillis() {
        return Math.max(wallMillis.getAsLong(), steadyMillis.getAsLong()) + maxSkewMillis;
    }

    /**
     * Returns the allowed skew of other nodes' versions.
     *
     * @return milliseconds
     */
    public long maxSkewMillis() {
        return maxSkewMillis;
    }
}
