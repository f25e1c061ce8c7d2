package io.dht4j.core.internal.snapshot;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The superseded entries that, together with the store, show the content as of a version. Of each merge of two entries
 * of a key, it keeps the older entry if only the newer one is newer than the snapshot. Until the snapshot's version is
 * known, it keeps every superseded entry.
 *
 * <p>{@link Snapshots} serializes merges; readers may be any number of threads.
 */
final class Snapshot {

    /** The approximate memory of an entry and its node in the map, without key and value. */
    private static final int ENTRY_OVERHEAD = 160;

    final Version id;
    final long leaseNanos;
    /** Completes with the reason when the snapshot has ended. */
    final CompletableFuture<String> over = new CompletableFuture<>();

    private final NavigableMap<Key, Entry> kept = new ConcurrentSkipListMap<>();
    private volatile long usedAtNanos;
    /** The partitions that it shows completely; empty, for all, in a static cluster. */
    private volatile Optional<PartitionSet> complete;
    // Written under this; read anywhere.
    private volatile Optional<Version> at = Optional.empty();
    // Guarded by this.
    private final List<Entry> unsorted = new ArrayList<>();
    private long bytes;

    Snapshot(Version id, long leaseNanos, long nowNanos, ClusterView view) {
        this.id = id;
        this.leaseNanos = leaseNanos;
        this.usedAtNanos = nowNanos;
        this.complete = view.hasRowVersions() ? Optional.of(view.held()) : Optional.empty();
    }

    /**
     * Excludes the partitions that this node no longer has. A later copy of them lacks the superseded entries. Calls
     * are made one after the other.
     */
    void follow(ClusterView view) {
        complete = complete.map(now -> now.intersection(view.held()));
    }

    /** Returns the partitions that it does not show completely. */
    PartitionSet lacking(PartitionSet partitions) {
        return complete.map(partitions::minus).orElse(PartitionSet.empty());
    }

    /** Returns the version of the snapshot, once it is known. */
    Optional<Version> at() {
        return at;
    }

    boolean isOf(Version version) {
        return id.equals(version) || at.filter(version::equals).isPresent();
    }

    void use(long nowNanos) {
        usedAtNanos = nowNanos;
    }

    /** Returns the rest of the lease, in nanoseconds. */
    long remainingNanos(long nowNanos) {
        return leaseNanos - (nowNanos - usedAtNanos);
    }

    /** Fixes the version. Idempotent; returns false if another version was fixed before. */
    synchronized boolean fix(Version version) {
        if (at.isPresent()) {
            return at.get().equals(version);
        }
        bytes = 0;
        for (Entry entry : unsorted) {
            if (entry.version().compareTo(version) <= 0) {
                keep(entry);
            }
        }
        unsorted.clear();
        at = Optional.of(version);
        return true;
    }

    /** Records a merge, before the store executes it; returns the number of bytes kept. */
    synchronized long merging(Entry winner, Entry loser) {
        if (over.isDone()) {
            return 0;
        }
        if (at.isEmpty()) {
            unsorted.add(loser);
            bytes += sizeOf(loser);
        } else if (winner.version().compareTo(at.get()) > 0 && loser.version().compareTo(at.get()) <= 0) {
            keep(loser);
        }
        return bytes;
    }

    /** Removes the kept entries; called after the end. */
    synchronized void forget() {
        kept.clear();
        unsorted.clear();
        bytes = 0;
    }

    private void keep(Entry entry) {
        Entry before = kept.get(entry.key());
        if (before == null) {
            kept.put(entry.key(), entry);
            bytes += sizeOf(entry);
        } else if (entry.supersedes(before)) {
            kept.put(entry.key(), entry);
            bytes += sizeOf(entry) - sizeOf(before);
        }
    }

    synchronized long bytes() {
        return bytes;
    }

    /** Returns the kept entry of a key. */
    Optional<Entry> kept(Key key) {
        return Optional.ofNullable(kept.get(key));
    }

    /** Returns the first kept entry at or after a key. */
    Optional<Entry> keptFrom(Key key) {
        return Optional.ofNullable(kept.ceilingEntry(key)).map(Map.Entry::getValue);
    }

    /** Returns the first kept entry after a key. */
    Optional<Entry> keptBehind(Key key) {
        return Optional.ofNullable(kept.higherEntry(key)).map(Map.Entry::getValue);
    }

    private static long sizeOf(Entry entry) {
        return ENTRY_OVERHEAD + entry.bytes();
    }
}
