package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.PartitionReadBarrier.Reason;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;

/**
 * Merges entries into the store, except those that are older than their partition's watermark, and those of writes that
 * were planned by another table. Makes the replies. Blocks as the store does, and throws what it throws. Safe for use
 * by any number of threads.
 */
final class EntryWriter {

    private final PurgeWatermarks watermarks;
    private final Predicate<Version> isTooFarAhead;
    private final RowGuard rows;
    private final PartitionReadBarrier barrier;

    /**
     * Creates a writer.
     *
     * @param watermarks apply entries to the store
     * @param isTooFarAhead whether only a wrong clock can have issued a version
     * @param rows refuses writes that were planned by another table
     * @param barrier the partitions of which entries may be missing
     */
    EntryWriter(
            PurgeWatermarks watermarks, Predicate<Version> isTooFarAhead, RowGuard rows, PartitionReadBarrier barrier) {
        this.watermarks = watermarks;
        this.isTooFarAhead = isTooFarAhead;
        this.rows = rows;
        this.barrier = barrier;
    }

    /** Merges the entries of one write, which came with a row version. */
    Reply apply(List<Entry> entries, long rowVersion) {
        Predicate<Key> unknown = unknown();
        PurgeWatermarks.Applied applied = null;
        while (applied == null) {
            applied = watermarks.apply(entries, rows.admits(entries, rowVersion));
            Reply refusal = applied == null ? rows.refusal(entries, rowVersion) : null;
            if (refusal != null) {
                return refusal;
            }
        }
        return applied.refused().isPresent()
                ? tooOld(applied.refused().get())
                : applied(entries, applied.newest(), 0, unknown);
    }

    /** Merges entries that this node has fetched from complete replicas. */
    Reply refill(List<Entry> entries, long rowVersion) {
        PurgeWatermarks.Applied applied = null;
        while (applied == null) {
            applied = watermarks.refill(entries, rows.admits(entries, rowVersion));
            Reply refusal = applied == null ? rows.refusal(entries, rowVersion) : null;
            if (refusal != null) {
                return refusal;
            }
        }
        return applied.refused().map(EntryWriter::tooOld).orElse(Reply.Applied.AS_NEWEST);
    }

    /**
     * Merges several writes with one call of the store. Writes with a refused entry are left out.
     *
     * @param group the entries of each write
     * @param rowVersions returns the row version of each write, by its index
     * @param failed makes the reply to each other write if the store throws; then some of them may be merged
     * @return a reply for each write
     */
    List<Reply> applyGroup(
            List<List<Entry>> group, IntToLongFunction rowVersions, Function<Throwable, IntFunction<Reply>> failed) {
        List<Reply> replies = new ArrayList<>(Collections.nCopies(group.size(), Reply.Applied.AS_NEWEST));
        boolean[] isRefused = new boolean[group.size()];
        try {
            boolean done = false;
            while (!done) {
                done = tryGroup(group, rowVersions, isRefused, replies);
            }
        } catch (RuntimeException | Error e) {
            IntFunction<Reply> failure = failed.apply(e);
            for (int i = 0; i < isRefused.length; i++) {
                if (!isRefused[i]) {
                    replies.set(i, failure.apply(i));
                }
            }
        }
        return replies;
    }

    /** Merges all writes that are not refused; returns false, having merged nothing, if one more is refused. */
    private boolean tryGroup(
            List<List<Entry>> group, IntToLongFunction rowVersions, boolean[] isRefused, List<Reply> replies) {
        List<Entry> entries = new ArrayList<>(group.size());
        for (int i = 0; i < isRefused.length; i++) {
            for (int j = 0; !isRefused[i] && j < group.get(i).size(); j++) {
                entries.add(group.get(i).get(j));
            }
        }
        if (entries.isEmpty()) {
            return true;
        }
        Predicate<Key> unknown = unknown();
        PurgeWatermarks.Applied applied = watermarks.apply(entries, admits(group, rowVersions, isRefused));
        if (applied == null) {
            refuseByRows(group, rowVersions, isRefused, replies);
            return false;
        }
        if (applied.refused().isPresent()) {
            Entry refused = applied.refused().get();
            int index = indexOf(refused, group, isRefused);
            isRefused[index] = true;
            replies.set(index, tooOld(refused));
            return false;
        }
        int from = 0;
        for (int i = 0; i < isRefused.length; i++) {
            if (!isRefused[i]) {
                replies.set(i, applied(group.get(i), applied.newest(), from, unknown));
                from += group.get(i).size();
            }
        }
        return true;
    }

    /** Returns a check of all writes of a group that are not refused, to be made while the lock is held. */
    private BooleanSupplier admits(List<List<Entry>> group, IntToLongFunction rowVersions, boolean[] isRefused) {
        long highest = ClusterView.NO_VERSION;
        for (int i = 0; i < isRefused.length; i++) {
            highest = Math.max(highest, rowVersions.applyAsLong(i));
        }
        if (rows.isUnfenced(highest)) {
            return rows.unfenced();
        }
        return () -> {
            for (int i = 0; i < isRefused.length; i++) {
                if (!isRefused[i] && rows.refusal(group.get(i), rowVersions.applyAsLong(i)) != null) {
                    return false;
                }
            }
            return true;
        };
    }

    private void refuseByRows(
            List<List<Entry>> group, IntToLongFunction rowVersions, boolean[] isRefused, List<Reply> replies) {
        for (int i = 0; i < isRefused.length; i++) {
            Reply refusal = isRefused[i] ? null : rows.refusal(group.get(i), rowVersions.applyAsLong(i));
            if (refusal != null) {
                isRefused[i] = true;
                replies.set(i, refusal);
            }
        }
    }

    private static int indexOf(Entry refused, List<List<Entry>> group, boolean[] isRefused) {
        for (int i = 0; i < isRefused.length; i++) {
            if (!isRefused[i] && contains(group.get(i), refused)) {
                return i;
            }
        }
        throw new IllegalStateException("an entry was refused that is in no write");
    }

    /** By identity: two writes may have equal entries. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean contains(List<Entry> entries, Entry wanted) {
        return entries.stream().anyMatch(entry -> entry == wanted);
    }

    /** Returns the reply to entries that are merged, whose newest versions begin at an index. */
    private Reply applied(List<Entry> entries, List<Version> newest, int from, Predicate<Key> unknown) {
        List<Reply.Newer> newer = List.of();
        for (int i = 0; i < entries.size(); i++) {
            Version held = newest.get(from + i);
            if (held.compareTo(entries.get(i).version()) <= 0) {
                if (!unknown.test(entries.get(i).key())
                        && !isIncoming(entries.get(i).key())) {
                    continue;
                }
                held = Reply.Newer.UNKNOWN;
            } else if (isTooFarAhead.test(held)) {
                held = Reply.Newer.TOO_FAR_AHEAD;
            }
            if (newer.isEmpty()) {
                newer = new ArrayList<>(1);
            }
            newer.add(new Reply.Newer(i, held));
        }
        return newer.isEmpty() ? Reply.Applied.AS_NEWEST : new Reply.Applied(newer);
    }

    /** Returns a test for keys whose newest version may have been lost. Called before entries are merged. */
    private Predicate<Key> unknown() {
        PartitionSet incoming = rows.uncertain();
        if (barrier.isEmpty() && incoming.isEmpty()) {
            return key -> false;
        }
        PartitionSet lost =
                barrier.of(Reason.LOST).union(barrier.of(Reason.ROLLED_BACK)).union(incoming);
        return key -> lost.contains(rows.partitionOf(key));
    }

    /** Returns whether this node takes over a key's partition. Called after entries are merged: it may do so since. */
    private boolean isIncoming(Key key) {
        PartitionSet incoming = rows.uncertain();
        return !incoming.isEmpty() && incoming.contains(rows.partitionOf(key));
    }

    private static Reply tooOld(Entry refused) {
        return new Reply.Failed(
                ErrorCode.VERSION_TOO_OLD,
                "version " + refused.version() + " of key " + refused.key()
                        + " is older than what all replicas have agreed on");
    }
}
