package io.dht4j.core.internal.replica;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.AgedQueue.Taken;
import io.dht4j.core.internal.admission.QueueLimits;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only way to the store: keeps blocking calls off the calling threads, bounds what waits and for how long, and
 * turns whatever the store throws into a failed reply. Stores that are memory-fast are called at once on the calling
 * thread.
 *
 * <p>Writes that wait are merged into one call of the store. While a call is in the middle of a write or an fsync, the
 * next ones gather; so a slow disk is used with large groups and an idle one without any delay.
 *
 * <p>Work that has waited for too long, or whose deadline has passed when its turn comes, is answered as such and never
 * begun. What has begun is never broken off.
 *
 * <p>Whoever takes a reply and throws harms nobody else: the others get theirs all the same.
 */
final class StoreGate {

    private static final Logger LOG = LoggerFactory.getLogger(StoreGate.class);
    private static final long MAX_GROUP_BYTES = 4 << 20;

    /** What an entry counts as in a group at least: so a group has some thousands of entries at most. */
    private static final long BYTES_PER_ENTRY = 1024;

    /**
     * So many reads of a batch run one after the other on a thread: one thread each would cost more than most reads.
     */
    private static final int READS_PER_TASK = 16;

    /** As a part of how many requests of clients may wait, how many of repair and of refill may besides. */
    private static final int PART_FOR_MAINTENANCE = 4;

    /** Entries to be merged into the store, unless they are expired. */
    record Write(List<Entry> entries, long bytes, BooleanSupplier expired, Consumer<Reply> reply) {}

    /** A read, unless its demand is over. What can be told from memory alone never waits. */
    record Read(
            CallLiveness demand, Supplier<Optional<Reply>> fromMemory, Supplier<Reply> work, Consumer<Reply> reply) {

        /** One that has to look at the store whatever is in memory. */
        static Read through(CallLiveness demand, Supplier<Reply> work, Consumer<Reply> reply) {
            return new Read(demand, Optional::empty, work, reply);
        }
    }

    private final Store store;
    private final String storeName;
    private final PurgeWatermarks fence;
    private final Admission admission;
    private final Admission maintenanceAdmission;
    private final StoreLane<Write> writes;
    private final StoreLane<List<Read>> reads;
    private final StoreLane<List<Read>> maintenance;
    private final LongAdder dropped = new LongAdder();
    private final Predicate<Version> tooFarAhead;
    private final ToIntFunction<Key> partitionOf;
    private final PartitionReadBarrier unfilled;
    private final LogLimit storeFailures;
    private final LogLimit replyFailures;

    /**
     * A gate before a store.
     *
     * @param maxWaiting how many requests of clients may wait; those of maintenance are a part of so many more
     * @param storeReads how many reads may run at a time, each of which may hold a largest value
     * @param maintenanceReads how many of maintenance may run at a time
     * @param tooFarAhead tells versions that no clock can have shown yet, but a wrong one
     * @param partitionOf finds a key's partition
     * @param unfilled partitions of which something was lost
     */
    StoreGate(
            Store store,
            PurgeWatermarks fence,
            Environment environment,
            int maxWaiting,
            long maxWaitingBytes,
            int storeReads,
            int maintenanceReads,
            QueueLimits ages,
            Predicate<Version> tooFarAhead,
            ToIntFunction<Key> partitionOf,
            PartitionReadBarrier unfilled) {
        this.tooFarAhead = tooFarAhead;
        this.partitionOf = partitionOf;
        this.unfilled = unfilled;
        this.store = store;
        this.storeName = store.name();
        this.fence = fence;
        this.storeFailures = new LogLimit(environment::nanoTime);
        this.replyFailures = new LogLimit(environment::nanoTime);
        this.admission = new Admission("requests of the store", maxWaiting, maxWaitingBytes);
        this.writes = new StoreLane<>(
                environment,
                ages,
                1,
                write -> Math.max(
                        write.bytes(), BYTES_PER_ENTRY * write.entries().size()),
                MAX_GROUP_BYTES,
                this::writeGroup);
        this.reads = new StoreLane<>(
                environment,
                ages,
                Math.min(environment.storeThreads(), storeReads),
                read -> 1,
                1,
                taken -> readSome(taken, admission));
        this.maintenanceAdmission = new Admission(
                "requests of the store for maintenance",
                Math.max(1, maxWaiting / PART_FOR_MAINTENANCE),
                maxWaitingBytes);
        int maintainers = Math.max(1, Math.min(environment.storeThreads() / 2, maintenanceReads));
        this.maintenance = new StoreLane<>(
                environment, ages, maintainers, read -> 1, 1, taken -> readSome(taken, maintenanceAdmission));
    }

    /** What {@link #applyAll} takes. */
    Write write(List<Entry> entries, BooleanSupplier expired, Consumer<Reply> reply) {
        long bytes = 0;
        for (int i = 0; i < entries.size(); i++) {
            bytes += entries.get(i).key().length() + entries.get(i).value().length;
        }
        return new Write(entries, bytes, expired, reply);
    }

    /** Merges entries into the store. */
    void apply(List<Entry> entries, BooleanSupplier expired, Consumer<Reply> reply) {
        if (store.isMemoryFast()) {
            hand(applyAtOnce(entries), reply);
        } else {
            applyAll(List.of(write(entries, expired, reply)));
        }
    }

    /** Merges entries that this node has fetched itself, in no order with those that come by themselves. */
    void refill(List<Entry> entries, Consumer<Reply> reply) {
        maintain(Read.through(new CallLiveness(() -> false, () -> false), () -> refillNow(entries), reply));
    }

    /**
     * Merges several lists of entries into the store, with one call of it where it can be, each with a reply of its
     * own.
     */
    void applyAll(List<Write> together) {
        if (store.isMemoryFast()) {
            for (Write write : together) {
                hand(applyAtOnce(write.entries()), write.reply());
            }
            return;
        }
        List<Write> admitted = new ArrayList<>(together.size());
        for (Write write : together) {
            if (admit(write.bytes(), write.reply())) {
                admitted.add(write);
            }
        }
        if (!admitted.isEmpty()) {
            writes.add(admitted);
        }
    }

    /** Runs several quick reads: at once if the store is memory-fast, or has in memory what they ask for. */
    void readAll(List<Read> together) {
        List<Read> waiting = new ArrayList<>();
        for (Read read : together) {
            atOnce(read).ifPresentOrElse(result -> hand(result, read.reply()), () -> waiting.add(read));
        }
        for (int begin = 0; begin < waiting.size(); begin += READS_PER_TASK) {
            laterAll(waiting.subList(begin, Math.min(waiting.size(), begin + READS_PER_TASK)));
        }
    }

    /** Runs a quick read: at once if the store is memory-fast, or has in memory what it asks for. */
    void read(Read read) {
        atOnce(read).ifPresentOrElse(result -> hand(result, read.reply()), () -> later(read));
    }

    private Optional<Reply> atOnce(Read read) {
        if (store.isMemoryFast()) {
            return Optional.of(readNow(read));
        }
        if (read.demand().isOver()) {
            return Optional.empty();
        }
        try {
            return read.fromMemory().get();
        } catch (RuntimeException | Error e) {
            // The ordinary read meets it again, and reports it.
            return Optional.empty();
        }
    }

    /** Runs a read that may take long, off the calling thread whatever the store. */
    void later(Read read) {
        laterAll(List.of(read));
    }

    /**
     * As {@link #later}, for what no client waits for. It waits in a queue of its own with a bound of its own, and
     * takes at most half of the store's threads at a time, or one: a client's read is never refused for it.
     */
    void maintain(Read read) {
        enter(List.of(read), maintenanceAdmission, maintenance);
    }

    private void laterAll(List<Read> some) {
        enter(some, admission, reads);
    }

    private void enter(List<Read> some, Admission bound, StoreLane<List<Read>> lane) {
        try {
            bound.enter(0);
        } catch (DhtException e) {
            Reply refusal = new Reply.Failed(e.code(), String.valueOf(e.getMessage()));
            some.forEach(read -> hand(refusal, read.reply()));
            return;
        }
        lane.add(List.of(some));
    }

    /** Takes nothing more; the future completes when all that was taken has ended. */
    CompletableFuture<Void> close() {
        return CompletableFuture.allOf(admission.close(), maintenanceAdmission.close());
    }

    /** How many requests were let in and never begun, since they had waited too long or their deadlines had passed. */
    long dropped() {
        return dropped.sum();
    }

    private boolean admit(long bytes, Consumer<Reply> reply) {
        try {
            admission.enter(bytes);
            return true;
        } catch (DhtException e) {
            hand(new Reply.Failed(e.code(), String.valueOf(e.getMessage())), reply);
            return false;
        }
    }

    private Runnable readSome(Taken<List<Read>> taken, Admission bound) {
        List<Runnable> replies = new ArrayList<>();
        try {
            for (List<Read> some : taken.tooOld()) {
                some.forEach(read -> replies.add(() -> hand(tooOld(), read.reply())));
            }
            for (List<Read> some : taken.work()) {
                for (Read read : some) {
                    Reply result = readNow(read);
                    replies.add(() -> hand(result, read.reply()));
                }
            }
            return () -> replies.forEach(Runnable::run);
        } catch (RuntimeException | Error e) {
            return () -> {
                taken.tooOld().forEach(some -> some.forEach(read -> hand(thrown(e), read.reply())));
                taken.work().forEach(some -> some.forEach(read -> hand(thrown(e), read.reply())));
            };
        } finally {
            leave(taken.tooOld().size() + taken.work().size(), bound);
        }
    }

    private static void leave(int requests, Admission bound) {
        for (int i = 0; i < requests; i++) {
            bound.leave(0);
        }
    }

    private Runnable writeGroup(Taken<Write> taken) {
        try {
            List<Write> late = new ArrayList<>(0);
            List<Write> group = new ArrayList<>(taken.work().size());
            for (Write write : taken.work()) {
                if (write.expired().getAsBoolean()) {
                    late.add(write);
                } else {
                    group.add(write);
                }
            }
            List<Reply> results = applyGroup(group);
            return () -> {
                for (int i = 0; i < group.size(); i++) {
                    hand(results.get(i), group.get(i).reply());
                }
                late.forEach(write -> hand(late(), write.reply()));
                taken.tooOld().forEach(write -> hand(tooOld(), write.reply()));
            };
        } catch (RuntimeException | Error e) {
            return () -> {
                taken.work().forEach(write -> hand(thrown(e), write.reply()));
                taken.tooOld().forEach(write -> hand(thrown(e), write.reply()));
            };
        } finally {
            leave(taken.work());
            leave(taken.tooOld());
        }
    }

    private void leave(List<Write> writes) {
        for (int i = 0; i < writes.size(); i++) {
            admission.leave(writes.get(i).bytes());
        }
    }

    /** A reply for each. What is behind a fence is taken out, and all the rest is one call of the store. */
    private List<Reply> applyGroup(List<Write> group) {
        List<Reply> replies = new ArrayList<>(Collections.nCopies(group.size(), Reply.Applied.AS_NEWEST));
        BitSet left = new BitSet();
        left.set(0, group.size());
        Reply result = attempt(() -> {
            enter(group, left, replies);
            return Reply.Applied.AS_NEWEST;
        });
        if (result instanceof Reply.Failed) {
            left.stream().forEach(write -> replies.set(write, result));
        }
        return replies;
    }

    /** Tries until the fence has nothing against what is left; as long as it has, nothing of it reaches the store. */
    private void enter(List<Write> group, BitSet left, List<Reply> replies) {
        while (!left.isEmpty()) {
            List<Entry> entries = new ArrayList<>();
            left.stream().forEach(write -> entries.addAll(group.get(write).entries()));
            Predicate<Key> unknown = unknown();
            PurgeWatermarks.Entered entered = fence.enter(entries);
            if (entered.refused().isEmpty()) {
                answer(group, left, entered.newest(), unknown, replies);
                return;
            }
            Entry refused = entered.refused().get();
            int behind = left.stream()
                    .filter(write -> contains(group.get(write), refused))
                    .findFirst()
                    .orElseThrow();
            left.clear(behind);
            replies.set(behind, behindFence(refused));
        }
    }

    private void answer(
            List<Write> group, BitSet left, List<Version> newest, Predicate<Key> unknown, List<Reply> replies) {
        int from = 0;
        for (int i = left.nextSetBit(0); i >= 0; i = left.nextSetBit(i + 1)) {
            List<Entry> entries = group.get(i).entries();
            replies.set(i, applied(entries, newest.subList(from, from + entries.size()), unknown));
            from += entries.size();
        }
    }

    /** The answer to entries that are merged. */
    private Reply applied(List<Entry> entries, List<Version> newest, Predicate<Key> unknown) {
        List<Reply.Newer> newer = List.of();
        for (int i = 0; i < entries.size(); i++) {
            Version held = newest.get(i);
            if (held.compareTo(entries.get(i).version()) <= 0) {
                if (!unknown.test(entries.get(i).key())) {
                    continue;
                }
                held = Reply.Newer.UNKNOWN;
            } else if (tooFarAhead.test(held)) {
                held = Reply.Newer.TOO_FAR_AHEAD;
            }
            if (newer.isEmpty()) {
                newer = new ArrayList<>(1);
            }
            newer.add(new Reply.Newer(i, held));
        }
        return newer.isEmpty() ? Reply.Applied.AS_NEWEST : new Reply.Applied(newer);
    }

    /** Two writes may bring the same: it is this very one. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean contains(Write write, Entry wanted) {
        return write.entries().stream().anyMatch(entry -> entry == wanted);
    }

    private Reply applyAtOnce(List<Entry> entries) {
        try {
            return applyNow(entries);
        } catch (RuntimeException | Error e) {
            return failed(e);
        }
    }

    private Reply applyNow(List<Entry> entries) {
        Predicate<Key> unknown = unknown();
        PurgeWatermarks.Entered entered = fence.enter(entries);
        return entered.refused().isPresent()
                ? behindFence(entered.refused().get())
                : applied(entries, entered.newest(), unknown);
    }

    /** Of which keys this replica does not know what it held. To be asked before entries are merged. */
    private Predicate<Key> unknown() {
        if (unfilled.isEmpty()) {
            return key -> false;
        }
        BitSet lost = unfilled.of(PartitionReadBarrier.Why.LOST);
        lost.or(unfilled.of(PartitionReadBarrier.Why.SET_BACK));
        return key -> lost.get(partitionOf.applyAsInt(key));
    }

    private Reply refillNow(List<Entry> entries) {
        return fence.refill(entries).refused().map(StoreGate::behindFence).orElse(Reply.Applied.AS_NEWEST);
    }

    private static Reply behindFence(Entry refused) {
        return new Reply.Failed(
                ErrorCode.VERSION_TOO_OLD,
                "version " + refused.version() + " of key " + refused.key()
                        + " is older than what all replicas have agreed on");
    }

    private Reply readNow(Read read) {
        return read.demand().isOver() ? late() : attempt(read.work());
    }

    private Reply late() {
        dropped.increment();
        return Replica.late();
    }

    private Reply tooOld() {
        dropped.increment();
        return new Reply.Failed(ErrorCode.OVERLOADED, "overloaded: the request has waited too long for the store");
    }

    private Reply attempt(Supplier<Reply> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            return failed(e);
        }
    }

    private Reply failed(Throwable e) {
        if (e instanceof StoreException) {
            report(storeFailures, "store " + storeName + " failed: " + e.getMessage(), e);
            return new Reply.Failed(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage()));
        }
        // A throwing plug-in must not take the node down, nor leave a caller without an answer.
        return thrown(e);
    }

    private Reply thrown(Throwable e) {
        report(storeFailures, "store " + storeName + " threw what it may not throw: " + e, e);
        return new Reply.Failed(ErrorCode.STORE_FAILED, "the store threw " + e);
    }

    /** Guarded, since what goes wrong with one reply must not keep the others from theirs. */
    private void hand(Reply reply, Consumer<Reply> to) {
        try {
            to.accept(reply);
        } catch (RuntimeException | Error e) {
            report(replyFailures, "a reply from store " + storeName + " could not be handed out: " + e, e);
        }
    }

    private static void report(LogLimit limit, String what, Throwable error) {
        limit.next()
                .ifPresent(leftOut -> LOG.error(
                        "{}{}", what, leftOut == 0 ? "" : "; " + leftOut + " more failures since this was last said"));
        LOG.debug("{}", what, error);
    }
}
