package io.dht4j.core.internal.coordinator.write;

import io.dht4j.Key;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.coordinator.quorum.Attempt;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry of a write with one version and by one table, and the count of its replicas' answers. Safe for use by any
 * number of threads.
 */
final class Stamp extends Attempt<Stamp> implements MissedWrites.Stamped {

    final Entry entry;

    /** Creates a stamp that is sent by a view, and by no other. */
    Stamp(Entry entry, CallPolicy policy, ClusterView view) {
        super(tracker(policy.in(view, entry.key()), entry.key(), view));
        this.entry = entry;
    }

    private static AckTracker tracker(ReplicationPolicy policy, Key key, ClusterView view) {
        return AckTracker.of(policy, view.movingSlot(key, policy.from()));
    }

    /** Returns the stamps of the entries of a write, with their first versions. */
    static List<Stamp> of(List<Entry> entries, CallPolicy policy, ClusterView view) {
        if (entries.size() == 1) {
            return List.of(new Stamp(entries.get(0), policy, view));
        }
        List<Stamp> stamps = new ArrayList<>(entries.size());
        entries.forEach(entry -> stamps.add(new Stamp(entry, policy, view)));
        return stamps;
    }

    /** Returns the number of slots to which it is sent. */
    int from() {
        return tracker.policy().from();
    }

    @Override
    protected Stamp self() {
        return this;
    }

    @Override
    public Entry entry() {
        return entry;
    }

    @Override
    public boolean isReplaced() {
        return later() != null;
    }

    /**
     * Returns whether every request of this and of the following ones has failed: no replica has acknowledged, and none
     * is still to answer.
     */
    boolean allHaveFailed() {
        for (Stamp each = this; each != null; each = each.later()) {
            if (!each.tracker.allHaveFailed()) {
                return false;
            }
        }
        return true;
    }
}
