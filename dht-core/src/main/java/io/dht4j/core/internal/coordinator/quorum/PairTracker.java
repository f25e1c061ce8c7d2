package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Counts the answers of replicas while a slot moves: its two nodes, the owner and the heir, give one answer. Safe for
 * use by any number of threads.
 *
 * <p>The slot has acknowledged when both nodes have, so that each of them has the entry in a later read. It has failed
 * when one of them has failed or holds a newer entry. It is sure of having held no newer entry if one of them is sure:
 * a node has every entry that the slot has acknowledged, unless it answers that it is unsure.
 */
final class PairTracker extends AckTracker {

    private static final AtomicIntegerFieldUpdater<PairTracker> ANSWERS =
            AtomicIntegerFieldUpdater.newUpdater(PairTracker.class, "answers");

    // The bits of one node's answer.
    private static final int ACKED = 1;
    private static final int SURE = 2;
    private static final int FAILED = 4;
    /** Set with {@link #FAILED}, if the reason is a newer entry. */
    private static final int NEWER = 8;

    /** The distance of the heir's bits from the owner's. */
    private static final int HEIR = 4;

    private static final int NOT_OF_PAIR = -1;

    private final ReplicaSlot pair;
    private volatile int answers;

    PairTracker(ReplicationPolicy policy, ReplicaSlot pair) {
        super(policy);
        this.pair = pair;
    }

    @Override
    public boolean hasPair() {
        return true;
    }

    @Override
    public boolean ack(NodeId by) {
        int shift = shift(by);
        return shift == NOT_OF_PAIR ? ack() : combine((ACKED | SURE) << shift);
    }

    @Override
    public boolean ackUnsure(NodeId by) {
        int shift = shift(by);
        return shift == NOT_OF_PAIR ? ackUnsure() : combine(ACKED << shift);
    }

    @Override
    public boolean fail(NodeId by) {
        int shift = shift(by);
        return shift == NOT_OF_PAIR ? fail() : combine(FAILED << shift);
    }

    @Override
    boolean newer(NodeId by) {
        int shift = shift(by);
        return shift == NOT_OF_PAIR ? newer() : combine((FAILED | NEWER) << shift);
    }

    private int shift(NodeId by) {
        if (by.equals(pair.owner().id())) {
            return 0;
        }
        return by.equals(pair.heir().id()) ? HEIR : NOT_OF_PAIR;
    }

    /** Adds the answer of one node, and counts the answer of the slot if this completes it. */
    private boolean combine(int answer) {
        int before = ANSWERS.getAndAccumulate(this, answer, (all, one) -> all | one);
        int after = before | answer;
        if (isComplete(before) || !isComplete(after)) {
            return false;
        }
        if (has(after, FAILED)) {
            return has(after, NEWER) ? newer() : fail();
        }
        return has(after, SURE) ? ack() : ackUnsure();
    }

    private static boolean isComplete(int answers) {
        return has(answers, FAILED) || haveBoth(answers, ACKED);
    }

    private static boolean has(int answers, int bit) {
        return (answers & (bit | bit << HEIR)) != 0;
    }

    private static boolean haveBoth(int answers, int bit) {
        int both = bit | bit << HEIR;
        return (answers & both) == both;
    }

    @Override
    public boolean allHaveFailed() {
        return super.allHaveFailed() && haveBoth(answers, FAILED);
    }
}
