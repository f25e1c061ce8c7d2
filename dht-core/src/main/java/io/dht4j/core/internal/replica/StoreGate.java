package io.dht4j.core.internal.replica;

import io.dht4j.DhtException;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.AgedQueue.Taken;
import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.options.NodeOptions.Limits;
import io.dht4j.core.options.OverloadProtection.QueueAges;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * Guards the store: requests reach it through this gate. It keeps blocking calls off the calling threads, bounds the
 * number of waiting requests and their waiting time, and turns exceptions of the store into failed replies. Stores that
 * are memory-fast are called at once on the calling thread.
 *
 * <p>Waiting writes are merged into one call of the store: while a write or an fsync runs, the next ones gather. So a
 * slow disk is used with large groups, and an idle one without delay.
 *
 * <p>Work that has waited too long or past its deadline fails without being begun. Work that has begun is never
 * interrupted.
 *
 * <p>A throwing receiver of a reply does not affect other replies. Safe for use by any number of threads.
 */
final class StoreGate {

    private static final long MAX_GROUP_BYTES = 4 << 20;

    /** The minimum weight of an entry in a group, so that a group has some thousands of entries at most. */
    private static final long BYTES_PER_ENTRY = 1024;

    /**
     * The number of reads of a batch that run one after the other on a thread: a thread each costs more than a read.
     */
    private static final int READS_PER_TASK = 16;

    /** The limit of waiting requests of repair and refill, as a part of the limit of clients. */
    private static final int PART_FOR_MAINTENANCE = 4;

    /** Entries to be merged into the store, unless they are expired or have another table. */
    record Write(List<Entry> entries, long rowVersion, long bytes, CallLiveness liveness, Consumer<Reply> reply) {}

    /** The two ways to answer a read. */
    interface Work {

        /** Answers from memory; empty if the store does not have all of it in memory. */
        Optional<Reply> fromMemory();

        /** Answers from the store. */
        Reply fromStore();

        /** Returns the kind of request. */
        default Observer.Request kind() {
            return Observer.Request.SCAN;
        }

        /** Returns the number of keys; 0 if it is unknown. */
        default int items() {
            return 0;
        }
    }

    /** A read, unless its answer is no longer needed. A read that can be answered from memory never waits. */
    record Read(CallLiveness liveness, Work work, Consumer<Reply> reply) {

        /** Returns a read that always uses the store. */
        static Read through(CallLiveness liveness, Supplier<Reply> fromStore, Consumer<Reply> reply) {
            return new Read(liveness, new ThroughStore(fromStore), reply);
        }
    }

    private record ThroughStore(Supplier<Reply> work) implements Work {

        @Override
        public Optional<Reply> fromMemory() {
            return Optional.empty();
        }

        @Override
        public Reply fromStore() {
            return work.get();
        }
    }

    private final Store store;
    private final EntryWriter writer;
    private final Admission admission;
    private final Admission maintenanceAdmission;
    private final StoreLane<Write> writes;
    private final StoreLane<List<Read>> reads;
    private final StoreLane<List<Read>> maintenance;
    private final StoreReplies replies;

    /**
     * Creates a gate before a store.
     *
     * @param store the store
     * @param writer merges entries into it
     * @param environment runs store calls
     * @param limits the maximum number of waiting requests of clients and of their bytes (maintenance has a separate
     *     limit, a part of these), and of concurrent reads, each of which may hold a largest value
     * @param ages how long requests may wait
     */
    StoreGate(Store store, EntryWriter writer, Environment environment, Limits limits, QueueAges ages) {
        this.store = store;
        this.writer = writer;
        this.replies = new StoreReplies(store.name(), environment::nanoTime);
        this.admission = new Admission("requests of the store", limits.maxInFlight(), limits.writeBytes());
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
                Math.min(environment.storeThreads(), limits.memory().storeReads()),
                read -> 1,
                1,
                taken -> readSome(taken, admission));
        this.maintenanceAdmission = new Admission(
                "requests of the store for maintenance",
                Math.max(1, limits.maxInFlight() / PART_FOR_MAINTENANCE),
                limits.writeBytes());
        int maintainers = Math.max(
                1, Math.min(environment.storeThreads() / 2, limits.memory().maintenanceReads()));
        this.maintenance = new StoreLane<>(
                environment, ages, maintainers, read -> 1, 1, taken -> readSome(taken, maintenanceAdmission));
    }

    /** Returns the number of requests of clients that wait for the store or are in it. */
    Bounded waiting() {
        return admission.number();
    }

    /** Returns the bytes of the clients' writes that wait for the store or are in it. */
    Bounded waitingBytes() {
        return admission.bytes();
    }

    /** Returns whether the store is called at once, on the calling thread. */
    boolean isMemoryFast() {
        return store.isMemoryFast();
    }

    /** Returns a write for {@link #applyAll}. */
    Write write(List<Entry> entries, long rowVersion, CallLiveness liveness, Consumer<Reply> reply) {
        long bytes = 0;
        for (int i = 0; i < entries.size(); i++) {
            bytes += entries.get(i).bytes();
        }
        return new Write(entries, rowVersion, bytes, liveness, reply);
    }

    /** Merges entries into the store. */
    void apply(List<Entry> entries, long rowVersion, CallLiveness liveness, Consumer<Reply> reply) {
        if (store.isMemoryFast()) {
            TracedSpan span = StoreSpans.begin(liveness.span(), entries.size());
            Reply result = applyAtOnce(entries, rowVersion);
            StoreSpans.end(span, result);
            replies.send(result, reply);
        } else {
            applyAll(List.of(write(entries, rowVersion, liveness, reply)));
        }
    }

    /** Merges entries that this node has fetched itself, in any order relative to other requests. */
    void refill(List<Entry> entries, long rowVersion, Consumer<Reply> reply) {
        maintain(Read.through(CallLiveness.endless(), () -> writer.refill(entries, rowVersion), reply));
    }

    /**
     * Merges several lists of entries into a store that is not memory-fast, each with a reply of its own, with one call
     * of the store if possible.
     */
    void applyAll(List<Write> together) {
        if (together.isEmpty()) {
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

    /** Runs several quick reads: at once if the store is memory-fast, or has the answers in memory. */
    void readAll(List<Read> together) {
        List<Read> waiting = new ArrayList<>();
        for (Read read : together) {
            atOnce(read).ifPresentOrElse(result -> replies.send(result, read.reply()), () -> waiting.add(read));
        }
        for (int begin = 0; begin < waiting.size(); begin += READS_PER_TASK) {
            laterAll(waiting.subList(begin, Math.min(waiting.size(), begin + READS_PER_TASK)));
        }
    }

    /** Runs a quick read: at once if the store is memory-fast, or has the answer in memory. */
    void read(Read read) {
        atOnce(read).ifPresentOrElse(result -> replies.send(result, read.reply()), () -> later(read));
    }

    private Optional<Reply> atOnce(Read read) {
        if (store.isMemoryFast()) {
            return Optional.of(readNow(read));
        }
        if (read.liveness().isOver()) {
            return Optional.empty();
        }
        try {
            return read.work().fromMemory();
        } catch (RuntimeException | Error e) {
            // The ordinary read fails again, and reports it.
            return Optional.empty();
        }
    }

    /** Runs a read that may take long, never on the calling thread. */
    void later(Read read) {
        laterAll(List.of(read));
    }

    /**
     * Runs work that no client waits for, as {@link #later}. It waits in a separate bounded queue, and uses at most
     * half of the store's threads at a time, or one: it never causes the refusal of a client's read.
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
            some.forEach(read -> replies.send(refusal, read.reply()));
            return;
        }
        lane.add(List.of(some));
    }

    /** Accepts no further request; the future completes when all accepted ones have ended. */
    CompletableFuture<Void> close() {
        return CompletableFuture.allOf(admission.close(), maintenanceAdmission.close());
    }

    /** Expects failures of the store, which is closed before all accepted requests have ended. */
    void abandon() {
        replies.abandon();
    }

    /** Returns the number of accepted requests that never began: they waited too long or their deadlines passed. */
    long dropped() {
        return replies.dropped();
    }

    private boolean admit(long bytes, Consumer<Reply> reply) {
        try {
            admission.enter(bytes);
            return true;
        } catch (DhtException e) {
            replies.send(new Reply.Failed(e.code(), String.valueOf(e.getMessage())), reply);
            return false;
        }
    }

    private Runnable readSome(Taken<List<Read>> taken, Admission bound) {
        List<Runnable> answers = new ArrayList<>();
        try {
            for (List<Read> some : taken.tooOld()) {
                some.forEach(read -> answers.add(() -> replies.send(replies.waitedTooLong(), read.reply())));
            }
            for (List<Read> some : taken.work()) {
                for (Read read : some) {
                    Reply result = readNow(read);
                    answers.add(() -> replies.send(result, read.reply()));
                }
            }
            return () -> answers.forEach(Runnable::run);
        } catch (RuntimeException | Error e) {
            return () -> {
                taken.tooOld().forEach(some -> some.forEach(read -> replies.send(replies.thrown(e), read.reply())));
                taken.work().forEach(some -> some.forEach(read -> replies.send(replies.thrown(e), read.reply())));
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
        StoreSpans spans = null;
        try {
            List<Write> late = new ArrayList<>(0);
            List<Write> group = new ArrayList<>(taken.work().size());
            for (Write write : taken.work()) {
                if (write.liveness().isExpired()) {
                    late.add(write);
                } else {
                    group.add(write);
                }
            }
            spans = StoreSpans.begin(group);
            List<Reply> results =
                    writer.applyGroup(entriesOf(group), i -> group.get(i).rowVersion(), e -> {
                        Reply failure = replies.failed(e);
                        return i -> failure;
                    });
            if (spans != null) {
                spans.end(results);
            }
            return () -> {
                for (int i = 0; i < group.size(); i++) {
                    replies.send(results.get(i), group.get(i).reply());
                }
                late.forEach(write -> replies.send(replies.late(), write.reply()));
                taken.tooOld().forEach(write -> replies.send(replies.waitedTooLong(), write.reply()));
            };
        } catch (RuntimeException | Error e) {
            if (spans != null) {
                spans.fail();
            }
            return () -> {
                taken.work().forEach(write -> replies.send(replies.thrown(e), write.reply()));
                taken.tooOld().forEach(write -> replies.send(replies.thrown(e), write.reply()));
            };
        } finally {
            leave(taken.work());
            leave(taken.tooOld());
        }
    }

    private static List<List<Entry>> entriesOf(List<Write> group) {
        List<List<Entry>> entries = new ArrayList<>(group.size());
        for (int i = 0; i < group.size(); i++) {
            entries.add(group.get(i).entries());
        }
        return entries;
    }

    private void leave(List<Write> writes) {
        for (int i = 0; i < writes.size(); i++) {
            admission.leave(writes.get(i).bytes());
        }
    }

    /** Merges entries into a memory-fast store on the calling thread. Throws nothing. */
    Reply applyAtOnce(List<Entry> entries, long rowVersion) {
        try {
            return writer.apply(entries, rowVersion);
        } catch (RuntimeException | Error e) {
            return replies.failed(e);
        }
    }

    /**
     * Merges several writes into a memory-fast store on the calling thread, with one call of the store. If that fails,
     * each is merged alone, so that it has an outcome of its own: merging an entry twice has no further effect.
     */
    List<Reply> applyAllAtOnce(List<List<Entry>> writes, IntToLongFunction rowVersions) {
        return writer.applyGroup(writes, rowVersions, e -> i -> applyAtOnce(writes.get(i), rowVersions.applyAsLong(i)));
    }

    private Reply readNow(Read read) {
        if (read.liveness().isOver()) {
            return replies.late();
        }
        TracedSpan span = StoreSpans.begin(read);
        Reply reply;
        try {
            reply = read.work().fromStore();
        } catch (RuntimeException | Error e) {
            reply = replies.failed(e);
        }
        StoreSpans.end(span, reply);
        return reply;
    }
}
