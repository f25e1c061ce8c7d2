package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.spi.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An entry that is sent to replicas that lack it or may lack it. A read waits until enough have it, or none does. */
final class Repair {

    /** Receives the end of a repair that a read waits for. */
    interface Outcome {

        /** Enough replicas have the entry. */
        void repaired();

        /** Too few replicas can get the entry. */
        void failed(String why);
    }

    final Entry entry;
    final List<Node> targets;
    private final @Nullable AckTracker tracker;
    private final @Nullable Outcome outcome;

    private Repair(Entry entry, List<Node> targets, @Nullable AckTracker tracker, @Nullable Outcome outcome) {
        this.entry = entry;
        this.targets = targets;
        this.tracker = tracker;
        this.outcome = outcome;
    }

    /** Creates a repair that no read waits for. */
    static Repair behindReply(Entry entry, List<Node> targets) {
        return new Repair(entry, targets, null, null);
    }

    /**
     * Creates a repair that a read waits for.
     *
     * @param needed the number of targets that must have the entry, 1 or more
     * @param outcome one of its methods is called, once, on any thread
     */
    static Repair beforeReply(Entry entry, List<Node> targets, int needed, Outcome outcome) {
        return new Repair(entry, targets, new AckTracker(new ReplicationPolicy(needed, targets.size())), outcome);
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
    void missed(String why) {
        if (tracker != null && outcome != null && tracker.fail()) {
            outcome.failed(why);
        }
    }
}
