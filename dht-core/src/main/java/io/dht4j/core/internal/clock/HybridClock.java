package io.dht4j.core.internal.clock;

import io.dht4j.Version;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A hybrid logical clock: never behind the wall clock, never behind any version seen, and every version it gives is
 * greater than the one before. Source: Kulkarni, Demirbas, Madappa, Avva, Leone, <i>Logical Physical Clocks and
 * Consistent Snapshots in Globally Distributed Databases</i>, 2014. When more than 65,536 versions are given within a
 * millisecond, the counter carries into the milliseconds. Safe for use by any number of threads; does not block.
 */
public final class HybridClock {

    /** The parts of a node's slot: for versions within what this clock allows others, and beyond. */
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
    /** The last version that was given beyond the limit. */
    private final AtomicLong lastBeyond = new AtomicLong();

    /**
     * A clock that has seen nothing yet.
     *
     * @param wallMillis the wall clock in milliseconds since 1970
     * @param maxSkewMillis how far ahead of the wall clock a version of another node may be
     */
    public HybridClock(LongSupplier wallMillis, long maxSkewMillis) {
        this(wallMillis, wallMillis, maxSkewMillis, 0, 1, 1);
    }

    /**
     * The clock of one of several nodes, which has seen nothing yet.
     *
     * @param wallMillis the wall clock in milliseconds since 1970
     * @param nanoTime a clock that nobody sets
     * @param maxSkewMillis how far ahead of the wall clock a version of another node may be
     * @param slot the node's slot, 0 to {@code slots - 1}
     * @param slots how many slots there are, a power of two up to 4096, the same on every node
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

    /** What the wall clock would show if nobody had set it since now. */
    private static LongSupplier steady(LongSupplier wallMillis, LongSupplier nanoTime) {
        long millis = wallMillis.getAsLong();
        long nanos = nanoTime.getAsLong();
        return () -> millis + (nanoTime.getAsLong() - nanos) / 1_000_000;
    }

    /**
     * Goes on above the versions beyond the limit that were given before the node started.
     *
     * @param given the greatest of them, or a greater one
     */
    void resumeBeyond(Version given) {
        lastBeyond.accumulateAndGet(given.packed(), Math::max);
    }

    /**
     * Gives a new version.
     *
     * @return greater than all given and all observed before, but for those that {@link #above} gave beyond the limit
     */
    public Version next() {
        long now = wallMillis.getAsLong() << Version.COUNTER_BITS;
        while (true) {
            long seen = last.get();
            long next = inSlot(Math.max(now, seen + 1), WITHIN);
            if (last.compareAndSet(seen, next)) {
                return new Version(next);
            }
        }
    }

    /**
     * Gives a version that supersedes one that a replica has told of, however far ahead that is: whether it is too far
     * ahead the replicas judge. One that is beyond what this clock allows others is not followed by {@link #next()}, so
     * that a liar cannot push the clock. The wall clock, which may have been set since a call began, has no part in it.
     *
     * @param newest what is to be superseded
     * @return greater than it and than all given and observed before; no version that this clock gave before
     */
    public Version above(Version newest) {
        long limit = limitMillis();
        while (true) {
            long seen = last.get();
            long given = lastBeyond.get();
            long least = Math.max(seen, newest.packed()) + 1;
            // What was beyond the limit once may be within it now.
            if (given >> Version.COUNTER_BITS <= limit) {
                least = Math.max(least, given + 1);
            }
            long next = inSlot(least, WITHIN);
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

    /** The first version of a part of this node's slot that is not less. */
    private long inSlot(long version, int part) {
        int place = slot + slots * (part % parts);
        return version + ((place - version) & ((long) slots * parts - 1));
    }

    /**
     * Whether a version that this clock has given is beyond what it allowed others then.
     *
     * @param given by this clock
     * @return true if only {@link #above} can have given it
     */
    boolean isBeyond(Version given) {
        return (given.packed() / slots & (parts - 1)) == BEYOND;
    }

    /** The greatest version given or observed, without those beyond the limit. */
    Version last() {
        return new Version(last.get());
    }

    /**
     * The greatest version given or observed, or the wall clock if that is ahead.
     *
     * @return a version that was possibly given already
     */
    public Version current() {
        return new Version(Math.max(wallMillis.getAsLong() << Version.COUNTER_BITS, last.get()));
    }

    /**
     * Takes note of a version of another node, so that later versions of this clock are greater. One that is too far
     * ahead is ignored: one bad clock must not poison the cluster.
     *
     * @param version as received
     * @return false if the version is more than the allowed skew ahead of the wall clock
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
     * Whether another node's clock cannot have shown this yet, unless that one or this node's is wrong. A wall clock
     * that was set back is believed from the next start on only: until then what others rightly give is not taken for
     * wrong.
     *
     * @param version as received
     * @return true if it is more than the allowed skew ahead of the wall clock, and of what that would show if nobody
     *     had set it
     */
    public boolean isTooFarAhead(Version version) {
        return version.millis() > limitMillis();
    }

    private long limitMillis() {
        return Math.max(wallMillis.getAsLong(), steadyMillis.getAsLong()) + maxSkewMillis;
    }

    /**
     * How far ahead another node's versions may be.
     *
     * @return milliseconds
     */
    public long maxSkewMillis() {
        return maxSkewMillis;
    }
}
