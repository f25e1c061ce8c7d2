package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.PartitionReadBarrier.Reason;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.replica.promise.Promises;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Changes the entries of the store; no other class of the core does. Merges entries, creates the replies, and refuses
 * entries below the purge watermarks and writes with another table. Blocks as the store does, and passes on its
 * exceptions. Safe for use by any number of threads.
 */
public final class EntryWriter {

    private final Store store;
    private final Function<Key, Optional<Entry>> held;
    private final Snapshots snapshots;
    private final PurgeWatermarks watermarks;
    private final RowGuard rows;
    private final PartitionReadBarrier barrier;
    private final Predicate<Version> isTooFarAhead;
    private final Promises promises;

    /**
     * Creates the writer of a store.
     *
     * @param store the store
     * @param snapshots keep the entries that a merge supersedes
     * @param watermarks decide which entries are too old
     * @param rows refuses writes with another table
     * @param barrier the partitions in which entries may be missing
     * @param isTooFarAhead whether only a wrong clock can have issued a version
     * @param promises decide which ballots of registers are accepted
     */
    public EntryWriter(
            Store store,
            Snapshots snapshots,
            PurgeWatermarks watermarks,
            RowGuard rows,
            PartitionReadBarrier barrier,
            Predicate<Version> isTooFarAhead,
            Promises promises) {
        this.store = store;
        this.held = store::get;
        this.snapshots = snapshots;
        this.watermarks = watermarks;
        this.rows = rows;
        this.barrier = barrier;
        this.isTooFarAhead = isTooFarAhead;
        this.promises = promises;
    }

    /**
     * Removes entries that are dead on all replicas. See {@link Store#purge(Predicate)}.
     *
     * @param dispensable returns whether an entry may be removed
     * @return how many entries were removed
     */
    public long purge(Predicate<Entry> dispensable) {
        return store.purge(dispensable);
    }

    /**
     * Removes all entries of keys that this node does not replicate. See {@link Store#drop}.
     *
     * @param dropped returns whether the entry of a key is removed
     * @return how many entries were removed
     */
    public long drop(Predicate<Key> dropped) {
        return store.drop(dropped);
    }

    /**
     * Merges the entries of one write, which came with a row version. An entry of a register, which is a write of its
     * own, is accepted if its version is the promised ballot.
     */
    Reply apply(List<Entry> entries, long rowVersion) {
        return write(entries, rowVersion, false);
    }

    /** Merges entries that this node has fetched from complete replicas. */
    Reply refill(List<Entry> entries, long rowVersion) {
        Reply reply = write(entries, rowVersion, true);
        return reply instanceof Reply.Applied ? Reply.Applied.AS_NEWEST : reply;
    }

    private Reply write(List<Entry> entries, long rowVersion, boolean refills) {
        Reply[] replies = new Reply[1];
        write(List.of(entries), write -> rowVersion, refills, replies);
        return replies[0];
    }

    /**
     * Merges several writes with one call of the store. Writes with a refused entry are left out.
     *
     * @param group the entries of each write
     * @param rowVersions returns the row version of each write, by its index
     * @param failed creates the reply to each write that is not refused if the store throws; then some may be merged
     * @return a reply for each write
     */
    List<Reply> applyGroup(
            List<List<Entry>> group, IntToLongFunction rowVersions, Function<Throwable, IntFunction<Reply>> failed) {
        Reply[] replies = new Reply[group.size()];
        try {
            write(group, rowVersions, false, replies);
        } catch (RuntimeException | Error e) {
            IntFunction<Reply> failure = failed.apply(e);
            for (int i = 0; i < replies.length; i++) {
                if (replies[i] == null) {
                    replies[i] = failure.apply(i);
                }
            }
        }
        return Arrays.asList(replies);
    }

    private void write(
            List<List<Entry>> group, IntToLongFunction rowVersions, boolean refills, @Nullable Reply[] replies) {
        Predicate<Key> unknown = unknown();
        List<List<Entry>> accepted = new ArrayList<>(group.size());
        List<Entry> registers = new ArrayList<>(0);
        List<Version> newest;
        try {
            newest = merge(group, rowVersions, refills, replies, accepted, registers);
        } catch (RuntimeException | Error e) {
            promises.fail(registers);
            throw e;
        }
        if (!registers.isEmpty()) {
            promises.end(registers);
        }
        int from = 0;
        for (int i = 0; i < replies.length; i++) {
            if (replies[i] == null) {
                List<Entry> entries = group.get(i);
                List<Version> each = newest.subList(from, from + accepted.get(i).size());
                replies[i] = !refills && isRegister(entries)
                        ? accepted(entries.get(0), each, rowVersions.applyAsLong(i))
                        : applied(entries, newestOf(entries, accepted.get(i), each), unknown);
                from += accepted.get(i).size();
            }
        }
    }

    /** Returns the reply to a ballot. A copy from another node may have brought a higher one since the promise. */
    private Reply accepted(Entry entry, List<Version> newest, long rowVersion) {
        Version held = newest.isEmpty() ? newestOf(entry) : newest.get(0);
        return held.equals(entry.version()) && !newest.isEmpty()
                ? accepted(entry, rowVersion)
                : new RegisterReply.Refused(held);
    }

    /** The next ballot was promised after the lock was released: an heir knows it only if the row is still the same. */
    private RegisterReply.Accepted accepted(Entry entry, long rowVersion) {
        return new RegisterReply.Accepted(promises.promisedNext(entry.key(), entry.version())
                && rows.refusalOfRegister(entry.key(), rowVersion) == null);
    }

    private static boolean isRegister(List<Entry> entries) {
        return entries.size() == 1 && AtomicSpace.contains(entries.get(0).key());
    }

    /**
     * Merges the accepted entries of some writes. No view or watermark changes from the decisions until the store has
     * them.
     *
     * @param replies receives the refusals
     * @param accepted receives the accepted entries of each write, none of a refused one
     * @param registers receives the registers, of which no ballot is promised until this has returned
     * @return the newest version of the key of each accepted entry
     */
    private List<Version> merge(
            List<List<Entry>> group,
            IntToLongFunction rowVersions,
            boolean refills,
            @Nullable Reply[] replies,
            List<List<Entry>> accepted,
            List<Entry> registers) {
        Lock lock = watermarks.applying();
        lock.lock();
        Snapshots.Write merge = snapshots.mergeBegins();
        try {
            for (int i = 0; i < replies.length; i++) {
                List<Entry> entries = group.get(i);
                long rowVersion = rowVersions.applyAsLong(i);
                Reply refusal = refusal(entries, rowVersion, refills);
                if (refusal == null && !refills && isRegister(entries)) {
                    refusal = begin(entries.get(0), rowVersion, registers);
                }
                replies[i] = refusal;
                accepted.add(refusal == null ? watermarks.accept(entries, refills) : List.of());
            }
            List<Entry> entries = concatenated(accepted);
            return entries.isEmpty() ? List.of() : snapshots.merging(entries, store::applyAndGetVersions);
        } finally {
            merge.ended();
            lock.unlock();
        }
    }

    /** Begins to accept a ballot; returns the refusal if it is not the promised one. */
    private @Nullable Reply begin(Entry entry, long rowVersion, List<Entry> registers) {
        int partition = rows.partitionOf(entry.key());
        Version purged = watermarks.fenced(partition);
        if (entry.version().compareTo(purged) <= 0) {
            return new RegisterReply.Refused(purged);
        }
        // The snapshot has left out the proposer, or that has not learned of its version yet.
        Optional<Version> shown = snapshots.fixedAtOrAbove(entry.version());
        if (shown.isPresent() && !promises.promisedNext(entry.key(), entry.version())) {
            return new RegisterReply.Refused(shown.get());
        }
        return switch (promises.begin(entry.key(), entry.version(), rowVersion)) {
            case GIVEN -> {
                registers.add(entry);
                yield null;
            }
            case BROKEN -> RegisterReplica.broken(entry.key());
            // A copy of a request whose connection broke.
            case REFUSED, WAITS, BUSY ->
                promises.promisedNext(entry.key(), entry.version())
                        ? accepted(entry, rowVersion)
                        : new RegisterReply.Refused(promises.highest(entry.key(), partition));
        };
    }

    private @Nullable Reply refusal(List<Entry> entries, long rowVersion, boolean refills) {
        Reply refusal = rows.refusal(entries, rowVersion);
        Optional<Entry> refused = refusal == null ? watermarks.refused(entries, refills, held) : Optional.empty();
        return refused.map(EntryWriter::tooOld).orElse(refusal);
    }

    private static List<Entry> concatenated(List<List<Entry>> lists) {
        if (lists.size() == 1) {
            return lists.get(0);
        }
        List<Entry> all = new ArrayList<>(lists.size());
        lists.forEach(all::addAll);
        return all;
    }

    /** Returns the newest version of the key of each entry of a write, also of entries without effect. */
    @SuppressWarnings("ReferenceEquality")
    private List<Version> newestOf(List<Entry> entries, List<Entry> accepted, List<Version> newest) {
        if (accepted.size() == entries.size()) {
            return newest;
        }
        List<Version> all = new ArrayList<>(entries.size());
        int next = 0;
        for (Entry entry : entries) {
            boolean isAccepted = next < accepted.size() && accepted.get(next) == entry;
            all.add(isAccepted ? newest.get(next++) : newestOf(entry));
        }
        return all;
    }

    /** Returns the newest version of an entry's key that the store holds, or has purged. */
    private Version newestOf(Entry entry) {
        return store.get(entry.key())
                .map(Entry::version)
                .filter(version -> version.compareTo(entry.version()) > 0)
                .orElse(entry.version());
    }

    /** Returns the reply to entries that are merged. */
    private Reply applied(List<Entry> entries, List<Version> newest, Predicate<Key> unknown) {
        List<Reply.Newer> newer = List.of();
        for (int i = 0; i < entries.size(); i++) {
            Version version = newest.get(i);
            if (version.compareTo(entries.get(i).version()) <= 0) {
                if (!unknown.test(entries.get(i).key())
                        && !isIncoming(entries.get(i).key())) {
                    continue;
                }
                version = Reply.Newer.UNKNOWN;
            } else if (isTooFarAhead.test(version)) {
                version = Reply.Newer.TOO_FAR_AHEAD;
            }
            if (newer.isEmpty()) {
                newer = new ArrayList<>(1);
            }
            newer.add(new Reply.Newer(i, version));
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

    /**
     * Returns whether this node takes over a key's partition. Called after the merge, since a takeover may have begun.
     */
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
