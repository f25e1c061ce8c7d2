package io.dht4j.core.internal.repair.purge;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks.Applied;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Applies entries to the store, except those that are older than their partition's watermark. Entries that need no
 * check cost no allocation besides the result. Safe for use by any number of threads.
 */
final class WatermarkFilter {

    private final Store store;
    private final PartitionStates states;
    private final ToIntFunction<Key> partitionOf;
    /** Held for reading while entries are checked and applied: no watermark changes in between. */
    private final Lock lock;

    WatermarkFilter(Store store, PartitionStates states, ToIntFunction<Key> partitionOf, Lock lock) {
        this.store = store;
        this.states = states;
        this.partitionOf = partitionOf;
        this.lock = lock;
    }

    /** Applies all entries or none. See {@link PurgeWatermarks#apply} and {@link PurgeWatermarks#refill}. */
    @Nullable
    Applied apply(List<Entry> entries, boolean refills, BooleanSupplier condition) {
        lock.lock();
        try {
            if (!condition.getAsBoolean()) {
                return null;
            }
            return states.mayConcern(entries)
                    ? check(entries, refills)
                    : new Applied(Optional.empty(), store.applyAndGetVersions(entries));
        } finally {
            lock.unlock();
        }
    }

    private Applied check(List<Entry> entries, boolean refills) {
        List<Entry> accepted = new ArrayList<>(entries.size());
        boolean[] isAccepted = new boolean[entries.size()];
        for (int i = 0; i < isAccepted.length; i++) {
            Entry entry = entries.get(i);
            isAccepted[i] = !states.refuses(partitionOf(entry), entry.version(), refills);
            if (isAccepted[i]) {
                accepted.add(entry);
            } else if (wouldChange(entry)) {
                return new Applied(Optional.of(entry), List.of());
            }
        }
        for (Entry entry : accepted) {
            states.accepted(partitionOf(entry), entry.version());
        }
        Iterator<Version> newestOfAccepted = store.applyAndGetVersions(accepted).iterator();
        List<Version> newest = new ArrayList<>(entries.size());
        for (int i = 0; i < isAccepted.length; i++) {
            newest.add(isAccepted[i] ? newestOfAccepted.next() : newestOf(entries.get(i)));
        }
        return new Applied(Optional.empty(), newest);
    }

    private int partitionOf(Entry entry) {
        return partitionOf.applyAsInt(entry.key());
    }

    /** Returns whether the store holds neither an entry nor a newer one, and has not purged it. */
    private boolean wouldChange(Entry entry) {
        Optional<Entry> held = store.get(entry.key());
        return held.map(entry::supersedes).orElseGet(() -> !isPurgeable(entry, states.purged(partitionOf(entry))));
    }

    /** Returns the newest version of the key of an entry that the store holds, or held until it purged it. */
    private Version newestOf(Entry entry) {
        return store.get(entry.key())
                .map(Entry::version)
                .filter(held -> held.compareTo(entry.version()) > 0)
                .orElse(entry.version());
    }

    /**
     * Returns whether an entry is older than a purge watermark and was dead at the watermark's time. This node's clock,
     * which may be wrong, does not count.
     */
    static boolean isPurgeable(Entry entry, Version purged) {
        return entry.version().compareTo(purged) < 0 && !entry.isLive(purged.millis());
    }
}
