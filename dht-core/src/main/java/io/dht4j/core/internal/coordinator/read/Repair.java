package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.spi.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry on its way to replicas that lack it, or may. Somebody waits until enough of them have it, or nobody does.
 */
final class Repair {

    /** Takes the end of a repair that somebody waits for. */
    interface Outcome {

        /** Enough replicas have the entry. */
        void repaired();

        /** They cannot be brought to have it. */
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

    /** One that nobody waits for. */
    static Repair behindReply(Entry entry, List<Node> targets) {
        return new Repair(entry, targets, null, null);
    }

    /**
     * One that somebody waits for.
     *
     * @param needed how many of the targets must have the entry, 1 or more
     * @param outcome one of its methods is called, once, on any thread
     */
    static Repair beforeReply(Entry entry, List<Node> targets, int needed, Outcome outcome) {
        return new Repair(entry, targets, new AckTracker(new ReplicationPolicy(needed, targets.size())), outcome);
    }

    boolean isAwaited() {
        return outcome != null;
    }

    /** A target has it now. */
    void done() {
        if (tracker != null && outcome != null && tracker.ack()) {
            outcome.repaired();
        }
    }

    /** A target does not take it, or nobody knows. */
    void missed(String why) {
        if (tracker != null && outcome != null && tracker.fail()) {
            outcome.failed(why);
        }
    }
}
