package io.dht4j.core.internal.coordinator.read;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.membership.FencingToken;
import io.dht4j.core.internal.membership.ReplicaSlot;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An entry that is sent to replicas that lack it or may lack it. A read waits until enough have it, or none does. */
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

    /** What replicas compare with their tables; null in a static cluster. */
    final @Nullable FencingToken token;

    /** The refusal that decides how the read continues: one of a newer table if there is one. */
    private volatile @Nullable PeerFailure refusal;

    private final @Nullable AckTracker tracker;
    private final @Nullable Outcome outcome;

    private Repair(
            Entry entry,
            List<Node> targets,
            @Nullable FencingToken token,
            @Nullable AckTracker tracker,
            @Nullable Outcome outcome) {
        this.entry = entry;
        this.token = token;
        this.targets = targets;
        this.tracker = tracker;
        this.outcome = outcome;
    }

    /** Creates a repair that no read waits for. */
    static Repair behindReply(Entry entry, List<Node> targets, @Nullable FencingToken token) {
        return new Repair(entry, targets, token, null, null);
    }

    /**
     * Creates a repair that a read waits for.
     *
     * @param pair the slot of which two of the targets are the nodes; empty if there is none
     * @param needed the number of slots that must have the entry, 1 or more
     * @param outcome one of its methods is called, once, on any thread
     */
    static Repair beforeReply(
            Entry entry,
            List<Node> targets,
            Optional<ReplicaSlot> pair,
            @Nullable FencingToken token,
            int needed,
            Outcome outcome) {
        int slots = targets.size() - (pair.isPresent() && pair.get().isPair() ? 1 : 0);
        return new Repair(entry, targets, token, AckTracker.of(new ReplicationPolicy(needed, slots), pair), outcome);
    }

    boolean isAwaited() {
        return outcome != null;
    }

    /** Records that a target has the entry. */
    void done(Node target) {
        if (tracker != null && outcome != null && tracker.ack(target.id())) {
            outcome.repaired();
        }
    }

    /** Records that a target does not take the entry, or that this is unknown. */
    void missed(PeerFailure failure) {
        if (Replanning.isStale(failure, token) || (refusal == null && failure.code() == ErrorCode.REPLICA_REFILLING)) {
            refusal = failure;
        }
        if (tracker != null && outcome != null && tracker.fail(failure.node())) {
            outcome.failed(failure.toString(), refusal);
        }
    }
}
