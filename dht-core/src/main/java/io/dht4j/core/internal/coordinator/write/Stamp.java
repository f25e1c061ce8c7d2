package io.dht4j.core.internal.coordinator.write;

import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a write with one version and by one table, and the count of its replicas' answers. Safe for use by any
 * number of threads.
 */
final class Stamp implements MissedWrites.Stamped {

    final Entry entry;
    final AckTracker tracker;
    private volatile @Nullable Stamp next;

    Stamp(Entry entry, ReplicationPolicy policy) {
        this.entry = entry;
        this.tracker = new AckTracker(policy);
    }

    /** Returns the stamps of the entries of a write, with their first versions. */
    static List<Stamp> of(List<Entry> entries, ReplicationPolicy policy) {
        if (entries.size() == 1) {
            return List.of(new Stamp(entries.get(0), policy));
        }
        List<Stamp> stamps = new ArrayList<>(entries.size());
        entries.forEach(entry -> stamps.add(new Stamp(entry, policy)));
        return stamps;
    }

    @Override
    public Entry entry() {
        return entry;
    }

    @Override
    public boolean isReplaced() {
        return next != null;
    }

    /**
     * Returns whether every request of this and of the following ones has failed: no replica has acknowledged, and none
     * is still to answer.
     */
    boolean allHaveFailed() {
        for (Stamp each = this; each != null; each = each.next) {
            if (each.tracker.acks() > 0
                    || each.tracker.failures() < each.tracker.policy().from()) {
                return false;
            }
        }
        return true;
    }

    /** Replaces it by one of a newer version, or of a newer table. */
    void replaceBy(Stamp newer) {
        next = newer;
    }

    Stamp latest() {
        Stamp latest = this;
        for (Stamp later = next; later != null; later = later.next) {
            latest = later;
        }
        return latest;
    }
}
