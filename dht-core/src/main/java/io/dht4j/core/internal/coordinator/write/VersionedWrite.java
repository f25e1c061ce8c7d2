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
final class VersionedWrite extends Attempt<VersionedWrite> implements MissedWrites.Versioned {

    final Entry entry;

    /** Creates a write that is sent by a view, and by no other. */
    VersionedWrite(Entry entry, CallPolicy policy, ClusterView view) {
        super(tracker(policy.in(view, entry.key()), entry.key(), view));
        this.entry = entry;
    }

    private static AckTracker tracker(ReplicationPolicy policy, Key key, ClusterView view) {
        return AckTracker.of(policy, view.movingSlot(key, policy.from()));
    }

    /** Returns the writes of the entries of a write, with their first versions. */
    static List<VersionedWrite> of(List<Entry> entries, CallPolicy policy, ClusterView view) {
        if (entries.size() == 1) {
            return List.of(new VersionedWrite(entries.get(0), policy, view));
        }
        List<VersionedWrite> writes = new ArrayList<>(entries.size());
        entries.forEach(entry -> writes.add(new VersionedWrite(entry, policy, view)));
        return writes;
    }

    /** Returns the number of slots to which it is sent. */
    int from() {
        return tracker.policy().from();
    }

    @Override
    protected VersionedWrite self() {
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
        for (VersionedWrite each = this; each != null; each = each.later()) {
            if (!each.tracker.allHaveFailed()) {
                return false;
            }
        }
        return true;
    }
}
