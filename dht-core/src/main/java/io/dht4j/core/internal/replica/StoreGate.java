package io.dht4j.core.internal.replica;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.repair.Fence;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only way to the store: keeps blocking calls off the calling threads, bounds what waits, and turns whatever the store
 * throws into a failed reply. Stores that are memory-fast are called at once on the calling thread.
 *
 * <p>Writes that wait are merged into one call of the store. While a call is in the middle of a write or an fsync, the
 * next ones gather; so a slow disk is used with large groups and an idle one without any delay.
 */
final class StoreGate {

    private static final Logger LOG = LoggerFactory.getLogger(StoreGate.class);
    private static final int MAX_GROUP_ENTRIES = 4096;
    private static final int MAX_GROUP_BYTES = 4 << 20;

    /** So many reads of a batch run one after the other on a thread: one thread each would cost more than most reads. */
    private static final int READS_PER_TASK = 16;

    /** Entries to be merged into the store. */
    record Write(List<Entry> entries, long bytes, Consumer<Reply> reply) {}

    /** A quick read. */
    record Read(Supplier<Reply> work, Consumer<Reply> reply) {}

    private final Store store;
    private final Fence fence;
    private final Environment environment;
    private final Admission admission;
    private final Queue<Write> writes = new ConcurrentLinkedQueue<>();
    private final AtomicInteger writesWaiting = new AtomicInteger();

    StoreGate(Store store, Fence fence, Environment environment, int maxWaiting, long maxWaitingBytes) {
        this.store = store;
        this.fence = fence;
        this.environment = environment;
        this.admission = new Admission("requests of the store", maxWaiting, maxWaitingBytes);
    }

    /** What {@link #applyAll} takes. */
    Write write(List<Entry> entries, Consumer<Reply> reply) {
        long bytes = 0;
        for (Entry entry : entries) {
            bytes += entry.key().length() + entry.value().length;
        }
        return new Write(entries, bytes, reply);
    }

    /** Merges entries into the store. */
    void apply(List<Entry> entries, Consumer<Reply> reply) {
        if (store.isMemoryFast()) {
            reply.accept(attempt(() -> applyNow(entries)));
        } else {
            applyAll(List.of(write(entries, reply)));
        }
    }

    /** Merges several lists of entries into the store, with one call of it where it can be, each with a reply of its own. */
    void applyAll(List<Write> together) {
        if (store.isMemoryFast()) {
            for (Write write : together) {
                write.reply().accept(attempt(() -> applyNow(write.entries())));
            }
            return;
        }
        int admitted = 0;
        for (Write write : together) {
            if (admit(write.bytes(), write.reply())) {
                writes.add(write);
                admitted++;
            }
        }
        // Whoever is writing may have taken some already, so that the count is below zero for a moment.
        int before = writesWaiting.getAndAdd(admitted);
        if (before <= 0 && before + admitted > 0 && !drainLater()) {
            drainWrites();
        }
    }

    /** Runs several quick reads: at once if the store is memory-fast. */
    void readAll(List<Read> together) {
        if (store.isMemoryFast()) {
            for (Read read : together) {
                read.reply().accept(attempt(read.work()));
            }
            return;
        }
        for (int begin = 0; begin < together.size(); begin += READS_PER_TASK) {
            List<Read> some = together.subList(begin, Math.min(together.size(), begin + READS_PER_TASK));
            laterAll(some);
        }
    }

    /** Runs a quick read: at once if the store is memory-fast. */
    void read(Supplier<Reply> work, Consumer<Reply> reply) {
        if (store.isMemoryFast()) {
            reply.accept(attempt(work));
        } else {
            later(work, reply);
        }
    }

    /** Runs a read that may take long, off the calling thread whatever the store. */
    void later(Supplier<Reply> work, Consumer<Reply> reply) {
        laterAll(List.of(new Read(work, reply)));
    }

    private void laterAll(List<Read> reads) {
        try {
            admission.enter(0);
        } catch (DhtException e) {
            refuse(reads, e.code(), String.valueOf(e.getMessage()));
            return;
        }
        try {
            environment.storeExecutor().execute(() -> {
                List<Reply> results = new ArrayList<>(reads.size());
                for (Read read : reads) {
                    results.add(attempt(read.work()));
                }
                admission.leave(0);
                for (int i = 0; i < reads.size(); i++) {
                    reads.get(i).reply().accept(results.get(i));
                }
            });
        } catch (RejectedExecutionException e) {
            admission.leave(0);
            refuse(reads, ErrorCode.NOT_SERVING, "this node's store threads have ended");
        }
    }

    private static void refuse(List<Read> reads, ErrorCode code, String message) {
        reads.forEach(read -> read.reply().accept(new Reply.Failed(code, message)));
    }

    /** Takes nothing more; the future completes when all that was taken has ended. */
    CompletableFuture<Void> close() {
        return admission.close();
    }

    private boolean admit(long bytes, Consumer<Reply> reply) {
        try {
            admission.enter(bytes);
            return true;
        } catch (DhtException e) {
            reply.accept(new Reply.Failed(e.code(), String.valueOf(e.getMessage())));
            return false;
        }
    }

    /** False when the store's threads have ended: then the store is closed or about to be, and calls of it end at once. */
    private boolean drainLater() {
        try {
            environment.storeExecutor().execute(this::drainWrites);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void drainWrites() {
        boolean here = true;
        while (here) {
            here = writeGroup();
        }
    }

    /** Writes a group; true if there is another one, and no other thread to write it. */
    private boolean writeGroup() {
        List<Write> group = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        long bytes = 0;
        while (entries.size() < MAX_GROUP_ENTRIES && bytes < MAX_GROUP_BYTES) {
            Write write = writes.poll();
            if (write == null) {
                break;
            }
            group.add(write);
            entries.addAll(write.entries());
            bytes += write.bytes();
        }
        List<Reply> results = applyGroup(group, entries);
        group.forEach(write -> admission.leave(write.bytes()));
        // Before the replies: what they trigger must not wait for the next group to be started.
        boolean here = writesWaiting.addAndGet(-group.size()) > 0 && !drainLater();
        for (int i = 0; i < group.size(); i++) {
            group.get(i).reply().accept(results.get(i));
        }
        return here;
    }

    /** Of a group that is refused because of one write, the others are done by themselves. */
    private List<Reply> applyGroup(List<Write> group, List<Entry> entries) {
        Reply result = attempt(() -> applyNow(entries));
        return group.size() > 1 && result instanceof Reply.Failed failed && failed.code() == ErrorCode.VERSION_TOO_OLD
                ? group.stream()
                        .map(write -> attempt(() -> applyNow(write.entries())))
                        .toList()
                : Collections.nCopies(group.size(), result);
    }

    private Reply applyNow(List<Entry> entries) {
        Optional<Entry> refused = fence.enter(entries);
        return refused.isEmpty()
                ? new Reply.Applied()
                : new Reply.Failed(
                        ErrorCode.VERSION_TOO_OLD,
                        "version " + refused.get().version() + " of key "
                                + refused.get().key() + " is older than what all replicas have agreed on");
    }

    private static Reply attempt(Supplier<Reply> work) {
        try {
            return work.get();
        } catch (StoreException e) {
            LOG.error("store failed: {}", e.getMessage(), e);
            return new Reply.Failed(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            // A throwing plug-in must not take the node down, nor leave a caller without an answer.
            LOG.error("store threw what it may not throw", e);
            return new Reply.Failed(ErrorCode.STORE_FAILED, "the store threw " + e);
        }
    }
}
