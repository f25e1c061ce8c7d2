package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.membership.FencingToken;
import io.dht4j.spi.Entry;
import java.util.List;
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
         * @param stale the refusal of a replica whose table is newer; null if there is none
         */
        void failed(String why, @Nullable PeerFailure stale);
    }

    final Entry entry;
    final List<Node> targets;

    /** What replicas compare with their tables; null in a static cluster. */
    final @Nullable FencingToken token;

    private volatile @Nullable PeerFailure stale;
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
     * @param needed the number of targets that must have the entry, 1 or more
     * @param outcome one of its methods is called, once, on any thread
     */
    static Repair beforeReply(
            Entry entry, List<Node> targets, @Nullable FencingToken token, int needed, Outcome outcome) {
        return new Repair(
                entry, targets, token, new AckTracker(new ReplicationPolicy(needed, targets.size())), outcome);
    }

    boolean isAwaited() {
        return outcome != null;
    }

    /** Records that a target has the entry. */
    void done() {
        if (tracker != null && outcome != null && tracker.ack()) {
            outcome.repaired();
        }
    }

    /** Records that a target does not take the entry, or that this is unknown. */
    void missed(PeerFailure failure) {
        if (Replanning.isStale(failure, token)) {
            stale = failure;
        }
        if (tracker != null && outcome != null && tracker.fail()) {
            outcome.failed(failure.toString(), stale);
        }
    }
}
