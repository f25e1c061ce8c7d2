package io.dht4j.core.internal.coordinator.read;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An entry that is sent to replicas that lack it or may lack it. A read may wait until enough of them have it. */
final class Repair {

    /** Receives the end of a repair that a read waits for. */
    interface Outcome {

        /** Enough replicas have the entry. */
        void repaired();

        /**
         * Too few replicas can get the entry.
         *
         * @param why one line for people
         * @param refusal the refusal of a replica whose table is newer, or of one that does not accept entries yet;
         *     null if there is none
         */
        void failed(String why, @Nullable PeerFailure refusal);
    }

    final Entry entry;
    final List<Node> targets;

    /** The fencing token that replicas compare with their tables; null in a static cluster. */
    final @Nullable FencingToken token;

    /** The refusal that decides how the read continues: a refusal because of a newer table if there is one. */
    private volatile @Nullable PeerFailure refusal;

    /** The heir that copies the content of its slot's owner; null if there is none. */
    private final @Nullable NodeId copying;

    private final @Nullable AckTracker tracker;
    private final @Nullable Outcome outcome;

    private Repair(
            Entry entry,
            List<Node> targets,
            @Nullable FencingToken token,
            @Nullable NodeId copying,
            @Nullable AckTracker tracker,
            @Nullable Outcome outcome) {
        this.entry = entry;
        this.token = token;
        this.targets = targets;
        this.copying = copying;
        this.tracker = tracker;
        this.outcome = outcome;
    }

    /** Creates a repair that no read waits for. */
    static Repair behindReply(Entry entry, List<Node> targets, @Nullable FencingToken token) {
        return new Repair(entry, targets, token, null, null, null);
    }

    /**
     * Creates a repair that a read waits for.
     *
     * @param moving the slot that moves, which has one or two of the targets as nodes; empty if there is none
     * @param needed the number of slots that must have the entry, 1 or more
     * @param outcome one of its methods is called, once, on any thread
     */
    static Repair beforeReply(
            Entry entry,
            List<Node> targets,
            Optional<ReplicaSlot> moving,
            @Nullable FencingToken token,
            int needed,
            Outcome outcome) {
        Optional<ReplicaSlot> pair = moving.filter(slot -> slot.isPair() && targets.containsAll(slot.nodes()));
        int slots = targets.size() - (pair.isPresent() ? 1 : 0);
        NodeId copying = moving.flatMap(ReplicaSlot::copyingHeir).map(Node::id).orElse(null);
        return new Repair(
                entry, targets, token, copying, AckTracker.of(new ReplicationPolicy(needed, slots), pair), outcome);
    }

    boolean isAwaited() {
        return outcome != null;
    }

    /** Records that a target has the entry. */
    void done(Node target) {
        done(target.id());
    }

    private void done(NodeId target) {
        if (tracker != null && outcome != null && tracker.ack(target)) {
            outcome.repaired();
        }
    }

    /**
     * Returns whether the copy brings an entry to the node that refuses it. An heir that copies refuses the same
     * entries as its owner. So the owner has received such an entry before the copy began, or considers it purged.
     */
    private boolean isCopied(PeerFailure failure) {
        return failure.code() == ErrorCode.VERSION_TOO_OLD && failure.node().equals(copying);
    }

    /** Records that a target does not accept the entry alone, or that this is unknown. */
    void missed(PeerFailure failure) {
        if (isCopied(failure)) {
            done(failure.node());
            return;
        }
        if (Replanning.isStale(failure, token) || (refusal == null && failure.code() == ErrorCode.REPLICA_REFILLING)) {
            refusal = failure;
        }
        if (tracker != null && outcome != null && tracker.fail(failure.node())) {
            outcome.failed(failure.toString(), refusal);
        }
    }
}
