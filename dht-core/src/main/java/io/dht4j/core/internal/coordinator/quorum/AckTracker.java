package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.ReplicationPolicy;
import io.dht4j.Version;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Counts the answers of a key's replicas and tells when the outcome is certain: {@code ack} of them have answered, or
 * so many have failed that {@code ack} can no longer be reached. Exactly one of the calls that report answers learns of
 * the outcome. Without I/O, time or locks; safe for use by any number of threads.
 *
 * <p>A replica that has lost what it held takes a write and cannot tell whether it held something newer. It counts
 * towards {@code ack}, but so many of the others must know that every {@code ack} replicas which have acknowledged an
 * earlier write have one of them among them.
 */
public final class AckTracker {

    private static final long LAST_SUPERSEDED = 1L << 62;

    /**
     * Replicas that have done as they were asked, those that have but cannot tell all, and those that have not, 20 bits
     * for each.
     */
    private static final int BITS = 20;

    private static final long ACK = 1;
    private static final long UNSURE = 1L << BITS;
    private static final long FAILURE = 1L << (2 * BITS);
    private static final int MASK = (1 << BITS) - 1;

    // Updaters, since there is a tracker for each key of each call.
    private static final AtomicLongFieldUpdater<AckTracker> COUNTS =
            AtomicLongFieldUpdater.newUpdater(AckTracker.class, "counts");
    private static final AtomicLongFieldUpdater<AckTracker> NEWEST =
            AtomicLongFieldUpdater.newUpdater(AckTracker.class, "newest");

    private final ReplicationPolicy policy;
    private volatile long counts;
    /** The greatest version that a replica held instead, packed; 0 if none has reported one. */
    private volatile long newest;

    public AckTracker(ReplicationPolicy policy) {
        this.policy = policy;
    }

    /** Counts an answer; true for the one that makes enough. */
    public boolean ack() {
        return count(ACK);
    }

    /**
     * Counts the answer of a replica that has done as it was asked and cannot tell whether it held something newer;
     * true for the one that makes enough.
     */
    public boolean ackUnsure() {
        return count(UNSURE);
    }

    /** Counts a failure; true for the one that makes enough impossible. It and the others cannot all be true. */
    public boolean fail() {
        return count(FAILURE);
    }

    /**
     * Counts a replica that holds something newer than what was written; true for the one that makes enough impossible,
     * as with {@link #fail()}.
     *
     * @param version what it holds
     */
    public boolean newer(Version version) {
        if (canBeSuperseded(version)) {
            NEWEST.accumulateAndGet(this, version.packed(), Math::max);
        }
        return fail();
    }

    /** False for what lies in a future that no clock will see, which is somebody's lie. */
    public static boolean canBeSuperseded(Version version) {
        return version.packed() >= 0 && version.packed() < LAST_SUPERSEDED;
    }

    private boolean count(long one) {
        long after = COUNTS.addAndGet(this, one);
        return isDecided(after) && !isDecided(after - one);
    }

    private boolean isDecided(long state) {
        return isEnough(state) || isImpossible(state);
    }

    private boolean isEnough(long state) {
        return acks(state) + unsure(state) >= policy.ack() && acks(state) >= needed();
    }

    private boolean isImpossible(long state) {
        int left = policy.from() - failures(state);
        return left < policy.ack() || left - unsure(state) < needed();
    }

    /**
     * How many replicas must know what they held. Where two writes may have no replica in common, none: their order is
     * nobody's promise.
     */
    private int needed() {
        return 2 * policy.ack() > policy.from() ? policy.from() - policy.ack() + 1 : 0;
    }

    /** Whether enough have answered. */
    public boolean isEnough() {
        return isEnough(counts);
    }

    /**
     * The newest version that replicas have told of; empty if none has. To be asked by whoever learned of the outcome.
     */
    public Optional<Version> newest() {
        long told = newest;
        return told == 0 ? Optional.empty() : Optional.of(new Version(told));
    }

    public int acks() {
        return acks(counts) + unsure(counts);
    }

    public int failures() {
        return failures(counts);
    }

    private static int acks(long state) {
        return (int) state & MASK;
    }

    private static int unsure(long state) {
        return (int) (state >>> BITS) & MASK;
    }

    private static int failures(long state) {
        return (int) (state >>> (2 * BITS)) & MASK;
    }

    public ReplicationPolicy policy() {
        return policy;
    }

    /** {@code 1 of 3 needed replicas answered (of the first 3, 1 failed)}, for messages. */
    @Override
    public String toString() {
        long state = counts;
        return acks(state) + unsure(state) + " of " + policy.ack() + " needed replicas answered (of the first "
                + policy.from() + ", " + failures(state) + " failed"
                + (unsure(state) == 0 ? "" : ", " + unsure(state) + " get back what they lost") + ")";
    }
}
