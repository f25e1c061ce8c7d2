package io.dht4j.core.internal.snapshot;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What is needed besides the store to tell how it was at a version: of each merge of two entries of a key the one that
 * lost, if it is of that version or an older one and the winner is newer. Until the version is known every loser is
 * kept.
 *
 * <p>Merges come one at a time, since {@link Snapshots} lets them; readers may be any number of threads.
 */
final class Snapshot {

    /** Roughly what an entry and its place in the map take in memory besides key and value. */
    private static final int ENTRY_OVERHEAD = 160;

    final Version id;
    final long leaseNanos;
    /** Completes when the cut has ended, with why. */
    final CompletableFuture<String> over = new CompletableFuture<>();

    private final NavigableMap<Key, Entry> kept = new ConcurrentSkipListMap<>();
    private volatile long usedAtNanos;
    // Written under this; read anywhere.
    private volatile Optional<Version> at = Optional.empty();
    // Guarded by this.
    private final List<Entry> unsorted = new ArrayList<>();
    private long bytes;

    Snapshot(Version id, long leaseNanos, long nowNanos) {
        this.id = id;
        this.leaseNanos = leaseNanos;
        this.usedAtNanos = nowNanos;
    }

    /** The version of the cut, once it is known. */
    Optional<Version> at() {
        return at;
    }

    boolean isOf(Version version) {
        return id.equals(version) || at.filter(version::equals).isPresent();
    }

    void use(long nowNanos) {
        usedAtNanos = nowNanos;
    }

    /** How long it may still be left alone, in nanoseconds. */
    long remainingNanos(long nowNanos) {
        return leaseNanos - (nowNanos - usedAtNanos);
    }

    /** Fixes the version. Idempotent; false if it was fixed at another one. */
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

    /** Takes note of a merge, before the store does it; returns how many bytes are kept now. */
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

    /** Lets go what it kept. It has ended. */
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

    /** What is kept of a key. */
    Optional<Entry> kept(Key key) {
        return Optional.ofNullable(kept.get(key));
    }

    /** The first entry kept at or behind a key. */
    Optional<Entry> keptFrom(Key key) {
        return Optional.ofNullable(kept.ceilingEntry(key)).map(Map.Entry::getValue);
    }

    /** The first entry kept behind a key. */
    Optional<Entry> keptBehind(Key key) {
        return Optional.ofNullable(kept.higherEntry(key)).map(Map.Entry::getValue);
    }

    private static long sizeOf(Entry entry) {
        return (long) ENTRY_OVERHEAD + entry.key().length() + entry.value().length;
    }
}
