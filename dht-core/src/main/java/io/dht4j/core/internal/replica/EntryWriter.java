package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.PartitionReadBarrier.Reason;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Merges entries into the store, except those that are older than their partition's watermark, and makes the replies.
 * Blocks as the store does, and throws what it throws. Safe for use by any number of threads.
 */
final class EntryWriter {

    private final PurgeWatermarks watermarks;
    private final Predicate<Version> isTooFarAhead;
    private final ToIntFunction<Key> partitionOf;
    private final PartitionReadBarrier barrier;

    /**
     * Creates a writer.
     *
     * @param watermarks apply entries to the store
     * @param isTooFarAhead whether only a wrong clock can have issued a version
     * @param partitionOf returns a key's partition
     * @param barrier the partitions of which entries may be missing
     */
    EntryWriter(
            PurgeWatermarks watermarks,
            Predicate<Version> isTooFarAhead,
            ToIntFunction<Key> partitionOf,
            PartitionReadBarrier barrier) {
        this.watermarks = watermarks;
        this.isTooFarAhead = isTooFarAhead;
        this.partitionOf = partitionOf;
        this.barrier = barrier;
    }

    /** Merges the entries of one write. */
    Reply apply(List<Entry> entries) {
        Predicate<Key> unknown = unknown();
        PurgeWatermarks.Applied applied = watermarks.apply(entries);
        return applied.refused().isPresent()
                ? tooOld(applied.refused().get())
                : applied(entries, applied.newest(), 0, unknown);
    }

    /** Merges entries that this node has fetched from complete replicas. */
    Reply refill(List<Entry> entries) {
        return watermarks.refill(entries).refused().map(EntryWriter::tooOld).orElse(Reply.Applied.AS_NEWEST);
    }

    /**
     * Merges several writes with one call of the store. Writes with a refused entry are left out.
     *
     * @param group the entries of each write
     * @param failed makes the reply to each other write if the store throws; then some of them may be merged
     * @return a reply for each write
     */
    List<Reply> applyGroup(List<List<Entry>> group, Function<Throwable, Function<List<Entry>, Reply>> failed) {
        List<Reply> replies = new ArrayList<>(Collections.nCopies(group.size(), Reply.Applied.AS_NEWEST));
        boolean[] isRefused = new boolean[group.size()];
        try {
            boolean done = false;
            while (!done) {
                done = tryGroup(group, isRefused, replies);
            }
        } catch (RuntimeException | Error e) {
            Function<List<Entry>, Reply> failure = failed.apply(e);
            for (int i = 0; i < isRefused.length; i++) {
                if (!isRefused[i]) {
                    replies.set(i, failure.apply(group.get(i)));
                }
            }
        }
        return replies;
    }

    /** Merges all writes that are not refused; returns false, having merged nothing, if one more is refused. */
    private boolean tryGroup(List<List<Entry>> group, boolean[] isRefused, List<Reply> replies) {
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
        PurgeWatermarks.Applied applied = watermarks.apply(entries);
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
                if (!unknown.test(entries.get(i).key())) {
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
        if (barrier.isEmpty()) {
            return key -> false;
        }
        PartitionSet lost = barrier.of(Reason.LOST).union(barrier.of(Reason.ROLLED_BACK));
        return key -> lost.contains(partitionOf.applyAsInt(key));
    }

    private static Reply tooOld(Entry refused) {
        return new Reply.Failed(
                ErrorCode.VERSION_TOO_OLD,
                "version " + refused.version() + " of key " + refused.key()
                        + " is older than what all replicas have agreed on");
    }
}
