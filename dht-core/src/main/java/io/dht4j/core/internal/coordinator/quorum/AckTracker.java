package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Version;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Counts the answers of a key's replicas until the outcome is certain: {@code ack} of them have answered, or so many
 * have failed that {@code ack} can no longer be reached. Exactly one of the counting calls returns that its answer
 * decides. Without I/O, time or locks; safe for use by any number of threads.
 *
 * <p>Replicas are counted by slots: two nodes that hold one slot give one answer, see {@link #of}.
 *
 * <p>A replica that has lost its content accepts a write without knowing whether it held a newer entry. It counts
 * towards {@code ack}. But enough others must know what they held that any {@code ack} replicas, which may have
 * acknowledged an earlier write, include one of them.
 */
public class AckTracker {

    private static final long LAST_SUPERSEDED = 1L << 62;

    /** The bits of each of the four counts: acknowledgements, unsure ones, failures, and newer entries. */
    private static final int BITS = 15;

    private static final long ACK = 1;
    private static final long UNSURE = 1L << BITS;
    private static final long FAILURE = 1L << (2 * BITS);
    private static final long NEWER = 1L << (3 * BITS);
    private static final int MASK = (1 << BITS) - 1;

    /** Set when the count is abandoned: later answers decide nothing. */
    private static final long ABANDONED = 1L << (4 * BITS);

    // Updaters instead of atomics, since there is a tracker for each key of each call.
    private static final AtomicLongFieldUpdater<AckTracker> COUNTS =
            AtomicLongFieldUpdater.newUpdater(AckTracker.class, "counts");
    private static final AtomicLongFieldUpdater<AckTracker> NEWEST =
            AtomicLongFieldUpdater.newUpdater(AckTracker.class, "newest");

    private final ReplicationPolicy policy;
    private volatile long counts;
    /** The greatest reported version of a replica with a newer entry, packed; 0 if there is none. */
    private volatile long newest;

    /**
     * Creates a tracker without answers.
     *
     * @param policy the number of replicas, and of needed answers
     */
    public AckTracker(ReplicationPolicy policy) {
        this.policy = policy;
    }

    /**
     * Creates a tracker of a read in which some slots have no readable node.
     *
     * @param policy the number of replicas, and of needed answers
     * @param failed the number of slots that count as failed, small enough to decide nothing
     */
    public AckTracker(ReplicationPolicy policy, int failed) {
        this.policy = policy;
        this.counts = failed * FAILURE;
    }

    /**
     * Creates a tracker without answers for a request to the nodes of all slots.
     *
     * @param policy the number of slots, and of needed answers
     * @param moving the slot that moves; empty if none of the slots does
     * @return a tracker that needs to know whose answer it counts if two nodes hold the slot
     */
    public static AckTracker of(ReplicationPolicy policy, Optional<ReplicaSlot> moving) {
        return moving.isPresent() && moving.get().isPair()
                ? new PairTracker(policy, moving.get())
                : new AckTracker(policy);
    }

    /**
     * Returns whether two of the nodes give one answer, so that the tracker needs the node of each answer.
     *
     * @return false if each node holds a slot of its own
     */
    public boolean hasPair() {
        return false;
    }

    /**
     * Counts the acknowledgement of a node.
     *
     * @param by the node
     * @return as {@link #ack()}
     */
    public boolean ack(NodeId by) {
        return ack();
    }

    /**
     * Counts the acknowledgement of a node that does not know whether it held a newer entry.
     *
     * @param by the node
     * @return as {@link #ackUnsure()}
     */
    public boolean ackUnsure(NodeId by) {
        return ackUnsure();
    }

    /**
     * Counts the failure of a node.
     *
     * @param by the node
     * @return as {@link #fail()}
     */
    public boolean fail(NodeId by) {
        return fail();
    }

    /**
     * Counts an answer.
     *
     * @return true for the one that makes enough
     */
    public boolean ack() {
        return count(ACK);
    }

    /**
     * Counts the acknowledgement of a replica that does not know whether it held a newer entry.
     *
     * @return true for the one that makes enough
     */
    public boolean ackUnsure() {
        return count(UNSURE);
    }

    /**
     * Abandons an undecided count: later answers are counted, and none decides. For an entry that is sent again by
     * another table, with a count of its own.
     *
     * @return false if the count is decided, or abandoned already
     */
    public boolean abandon() {
        while (true) {
            long state = counts;
            if (isDecided(state)) {
                return false;
            }
            if (COUNTS.compareAndSet(this, state, state | ABANDONED)) {
                return true;
            }
        }
    }

    /**
     * Counts a failure.
     *
     * @return true for the one that makes enough impossible, if there are not enough already
     */
    public boolean fail() {
        return count(FAILURE);
    }

    /**
     * Counts a node that holds a newer entry than the written one as a failure.
     *
     * @param by the node
     * @param version the version of that entry
     * @return as {@link #fail()}
     */
    public boolean newer(NodeId by, Version version) {
        if (!canBeSuperseded(version)) {
            return fail(by);
        }
        NEWEST.accumulateAndGet(this, version.packed(), Math::max);
        return newer(by);
    }

    /** Counts a node that holds a newer entry of a known version. */
    boolean newer(NodeId by) {
        return newer();
    }

    /** Counts a slot that holds a newer entry. */
    final boolean newer() {
        return count(NEWER);
    }

    /**
     * Returns whether a version leaves room for later ones.
     *
     * @param version a version that a replica has reported
     * @return false if no clock will ever reach it, so that the report is false
     */
    public static boolean canBeSuperseded(Version version) {
        return version.packed() >= 0 && version.packed() < LAST_SUPERSEDED;
    }

    private boolean count(long one) {
        long after = COUNTS.addAndGet(this, one);
        return isDecided(after) && !isDecided(after - one);
    }

    private boolean isDecided(long state) {
        return (state & ABANDONED) != 0 || isEnough(state) || isImpossible(state);
    }

    private boolean isEnough(long state) {
        return acks(state) + unsure(state) >= policy.ack() && acks(state) >= needed();
    }

    private boolean isImpossible(long state) {
        int left = policy.from() - failures(state);
        return left < policy.ack() || left - unsure(state) < needed();
    }

    /**
     * Returns the number of replicas that must know what they held. It is zero where two writes may have no replica in
     * common: then their order is not guaranteed.
     */
    private int needed() {
        return 2 * policy.ack() > policy.from() ? policy.from() - policy.ack() + 1 : 0;
    }

    /**
     * Returns whether enough replicas have answered.
     *
     * @return true from the deciding answer on
     */
    public boolean isEnough() {
        return isEnough(counts);
    }

    /**
     * Returns whether a second version is needed, and enough if no further replica answers: the count is undecided, a
     * replica holds a newer entry, and those that have answered would be enough if none did.
     *
     * @return false once the count is decided
     */
    public boolean isSuperseded() {
        if (newest == 0) {
            return false;
        }
        long state = counts;
        int sure = acks(state) + newer(state);
        return !isDecided(state) && sure + unsure(state) >= policy.ack() && sure >= needed();
    }

    /**
     * Returns the number of replicas that have neither acknowledged nor reported a newer entry.
     *
     * @return those that have failed or not answered
     */
    public int withoutAnswer() {
        long state = counts;
        return policy.from() - acks(state) - unsure(state) - newer(state);
    }

    /**
     * Returns the newest version that replicas have reported. For the thread whose answer decides.
     *
     * @return empty if none has reported one
     */
    public Optional<Version> newest() {
        long reported = newest;
        return reported == 0 ? Optional.empty() : Optional.of(new Version(reported));
    }

    /**
     * Returns the number of answers.
     *
     * @return answers, including unsure ones
     */
    public int acks() {
        return acks(counts) + unsure(counts);
    }

    /**
     * Returns the number of failures.
     *
     * @return failures, including replicas with newer entries
     */
    public int failures() {
        return failures(counts);
    }

    /**
     * Returns whether every node has failed: none has acknowledged, and none is still to answer.
     *
     * @return false while a node may have carried out the request
     */
    public boolean allHaveFailed() {
        return acks() == 0 && failures() == policy.from();
    }

    private static int acks(long state) {
        return (int) state & MASK;
    }

    private static int unsure(long state) {
        return (int) (state >>> BITS) & MASK;
    }

    private static int failures(long state) {
        return ((int) (state >>> (2 * BITS)) & MASK) + newer(state);
    }

    private static int newer(long state) {
        return (int) (state >>> (3 * BITS)) & MASK;
    }

    /**
     * Returns the policy.
     *
     * @return the number of replicas, and of needed answers
     */
    public ReplicationPolicy policy() {
        return policy;
    }

    /**
     * Returns the counts for messages, for example {@code 1 of 2 needed replicas answered; of the first 3, 1 failed and
     * 1 had not answered}.
     */
    @Override
    public String toString() {
        long state = counts;
        int answered = acks(state) + unsure(state);
        int missing = Math.max(0, policy.from() - answered - failures(state));
        return answered + " of " + policy.ack() + " needed replicas answered; of the first " + policy.from() + ", "
                + (unsure(state) == 0 ? "" : unsure(state) + " get back what they lost, ") + failures(state)
                + " failed and " + missing + " had not answered";
    }
}
