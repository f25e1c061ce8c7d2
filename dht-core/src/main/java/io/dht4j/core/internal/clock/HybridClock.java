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

    private final LongSupplier wallMillis;
    private final long maxSkewMillis;
    private final int slot;
    private final int slots;
    private final AtomicLong last = new AtomicLong();

    /**
     * A clock that has seen nothing yet.
     *
     * @param wallMillis the wall clock in milliseconds since 1970
     * @param maxSkewMillis how far ahead of the wall clock a version of another node may be
     */
    public HybridClock(LongSupplier wallMillis, long maxSkewMillis) {
        this(wallMillis, maxSkewMillis, 0, 1);
    }

    /**
     * The clock of one of several nodes, which has seen nothing yet.
     *
     * @param wallMillis the wall clock in milliseconds since 1970
     * @param maxSkewMillis how far ahead of the wall clock a version of another node may be
     * @param slot the node's slot, 0 to {@code slots - 1}
     * @param slots how many slots there are, a power of two, the same on every node
     */
    public HybridClock(LongSupplier wallMillis, long maxSkewMillis, int slot, int slots) {
        this.wallMillis = wallMillis;
        this.maxSkewMillis = maxSkewMillis;
        this.slot = slot;
        this.slots = slots;
    }

    /**
     * Gives a new version.
     *
     * @return greater than all given and all observed before
     */
    public Version next() {
        long now = wallMillis.getAsLong() << Version.COUNTER_BITS;
        while (true) {
            long seen = last.get();
            long next = inSlot(Math.max(now, seen + 1));
            if (last.compareAndSet(seen, next)) {
                return new Version(next);
            }
        }
    }

    /** The first version of this node's slot that is not less. */
    private long inSlot(long version) {
        return version + ((slot - version) & (slots - 1));
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
     * Whether another node's clock cannot have shown this yet, unless that one or this node's is wrong.
     *
     * @param version as received
     * @return true if it is more than the allowed skew ahead of the wall clock
     */
    public boolean isTooFarAhead(Version version) {
        return version.millis() > wallMillis.getAsLong() + maxSkewMillis;
    }

    /**
     * Takes note of a version of this node's own past, however far ahead it is.
     *
     * @param version up to where versions had been given
     */
    public void resume(Version version) {
        last.accumulateAndGet(version.packed(), Math::max);
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
