package io.dht4j.core.internal.replica;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.QueueLimits;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Serves requests from the local store, of this node's own coordinator and of peers alike. Does not block. Each request
 * gets exactly one reply, on any thread, including the caller's. Safe for use by any number of threads.
 */
public final class Replica {

    /** The number of entries that a page may examine for each that it may show, so that a sparse page ends too. */
    private static final int LOOK_PER_ENTRY = 16;

    private final Store store;
    private final LocalReplica content;
    private final StoreGate gate;
    private final LongSupplier nanoTime;
    private final HybridClock clock;
    private final Snapshots cuts;
    private final ToIntFunction<Key> partitionOf;
    private final int maxValueBytes;
    private final PartitionReadBarrier unfilled;
    private final int maxWaiting;

    /** The number of reads that wait for the first answers of other nodes. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Creates a replica over a store.
     *
     * @param store the store
     * @param fence decides which entries are too old
     * @param content answers the requests of background repair
     * @param environment runs store calls
     * @param clock observes versions
     * @param cuts the open snapshots, for which the store records merges
     * @param partitionOf returns a key's partition
     * @param maxValueBytes the largest accepted value, and roughly the largest reply
     * @param maxWaiting the maximum number of requests that wait for the store
     * @param maxWaitingBytes the maximum number of bytes of writes that wait for the store
     * @param storeReads the maximum number of concurrent store reads, each of which may hold a largest value
     * @param maintenanceReads the maximum number of concurrent calls of repair and refill besides those
     * @param ages how long requests may wait for the store
     * @param unfilled the partitions of which reads are refused
     */
    public Replica(
            Store store,
            PurgeWatermarks fence,
            LocalReplica content,
            Environment environment,
            HybridClock clock,
            Snapshots cuts,
            ToIntFunction<Key> partitionOf,
            int maxValueBytes,
            int maxWaiting,
            long maxWaitingBytes,
            int storeReads,
            int maintenanceReads,
            QueueLimits ages,
            PartitionReadBarrier unfilled) {
        this.store = store;
        this.content = content;
        this.gate = new StoreGate(
                store,
                fence,
                environment,
                maxWaiting,
                maxWaitingBytes,
                storeReads,
                maintenanceReads,
                ages,
                clock::isTooFarAhead,
                partitionOf,
                unfilled);
        this.nanoTime = environment::nanoTime;
        this.clock = clock;
        this.cuts = cuts;
        this.partitionOf = partitionOf;
        this.maxValueBytes = maxValueBytes;
        this.unfilled = unfilled;
        this.maxWaiting = maxWaiting;
    }

    /**
     * Serves a request that arrived in a frame of its own.
     *
     * @param request the request
     * @param context the call; an expired or cancelled request is not begun
     * @param reply receives the one reply
     */
    public void serve(Request request, CallContext context, Consumer<Reply> reply) {
        if (!unfilled.isEmpty() && waits(request, () -> serve(request, context, reply))) {
            return;
        }
        if (request instanceof Request.Batch batch) {
            new BatchService(this, gate, nanoTime, batch, context, reply).serve();
        } else {
            serve(request, new CallLiveness(context::isExpired, context::isCancelled), reply);
        }
    }

    /**
     * Makes a read wait for the first answers of other nodes, after which it is served again. It waits only once; the
     * number of waiting reads is limited like that for the store. Called where reads of partitions are refused.
     *
     * @return false if the request does not wait
     */
    private boolean waits(Request request, Runnable again) {
        if (unfilled.checked().isDone() || !reads(request)) {
            return false;
        }
        if (waiting.incrementAndGet() > maxWaiting) {
            waiting.decrementAndGet();
            return false;
        }
        unfilled.checked().thenRun(() -> {
            waiting.decrementAndGet();
            again.run();
        });
        return true;
    }

    private static boolean reads(Request request) {
        return request instanceof Request.ReadKeys
                || request instanceof Request.ScanPage
                || request instanceof Request.CutPage
                || request instanceof Request.OpenCut
                || (request instanceof Request.Batch batch
                        && batch.parts().stream().anyMatch(part -> reads(part.request())));
    }

    /**
     * Serves a request that is no batch.
     *
     * @param request the request
     * @param demand checked again right before the store is called: a request whose answer is not needed is not begun.
     *     An accepted write is dropped only for its deadline
     * @param reply receives the one reply
     */
    public void serve(Request request, CallLiveness demand, Consumer<Reply> reply) {
        if (!unfilled.isEmpty() && waits(request, () -> serve(request, demand, reply))) {
            return;
        }
        if (demand.isOver()) {
            reply.accept(late());
        } else if (request instanceof Request.ReadKeys read) {
            gate.read(new StoreGate.Read(demand, () -> readFromMemory(read, room()), () -> read(read, room()), reply));
        } else if (request instanceof Request.ApplyEntries apply) {
            Reply refusal = refusal(apply);
            if (refusal != null) {
                reply.accept(refusal);
            } else {
                gate.apply(apply.entries(), demand.expired(), reply);
            }
        } else if (request instanceof Request.ScanPage scan) {
            gate.later(StoreGate.Read.through(demand, () -> page(scan, () -> store.scan(scan.range())), reply));
        } else if (request instanceof RepairRequest.Entries compared) {
            // Comparisons are served also for partitions of which other reads are refused.
            gate.maintain(StoreGate.Read.through(
                    demand,
                    () -> answer(compared.queries(), store::get, 0, room()).reply(),
                    reply));
        } else if (request instanceof RepairRequest repair) {
            gate.maintain(StoreGate.Read.through(demand, () -> content.answer(repair), reply));
        } else if (request instanceof Request.CutPage cut) {
            gate.later(StoreGate.Read.through(demand, () -> page(cut), reply));
        } else if (request instanceof Request.CutRequest cut) {
            serve(cut, reply);
        } else {
            reply.accept(new Reply.Pong());
        }
    }

    /**
     * Merges entries that this node has fetched from other replicas to complete its own. They may be older than those
     * accepted from other requests.
     *
     * @param apply the entries
     * @param reply receives the one reply
     */
    public void refill(Request.ApplyEntries apply, Consumer<Reply> reply) {
        Reply refusal = refusal(apply);
        if (refusal != null) {
            reply.accept(refusal);
        } else {
            gate.refill(apply.entries(), reply);
        }
    }

    /**
     * Returns the number of accepted requests that were dropped before they began, because they had waited too long or
     * their deadlines had passed.
     *
     * @return the number since the start
     */
    public long dropped() {
        return gate.dropped();
    }

    /**
     * Stops accepting requests that need the store threads.
     *
     * @return completes when the accepted ones have ended
     */
    public CompletableFuture<Void> close() {
        return gate.close();
    }

    static Reply late() {
        return new Reply.Failed(ErrorCode.DEADLINE_PASSED, "the deadline passed before the work began");
    }

    /** Returns the refusal of entries, or null if they may be merged. */
    @Nullable
    Reply refusal(Request.ApplyEntries apply) {
        for (int i = 0; i < apply.entries().size(); i++) {
            Entry entry = apply.entries().get(i);
            if (entry.value().length > maxValueBytes) {
                return new Reply.Failed(
                        ErrorCode.VALUE_TOO_LARGE,
                        "a value has at most " + maxValueBytes + " bytes here, not " + entry.value().length);
            }
            if (!clock.observe(entry.version())) {
                return new Reply.Failed(
                        ErrorCode.VERSION_TOO_FAR_AHEAD,
                        "version " + entry.version() + " is more than " + clock.maxSkewMillis()
                                + " ms ahead of this node's clock");
            }
        }
        return null;
    }

    private ReplyRoom room() {
        return new ReplyRoom(maxValueBytes, maxValueBytes);
    }

    /** Returns the room for the values of the replies to a batch. */
    ReplyRoom room(Request.Batch batch) {
        return new ReplyRoom(
                Math.min(batch.replyBytes(), maxValueBytes), Math.min(batch.largestBytes(), maxValueBytes));
    }

    /** Returns the reply if the store has all of it in memory, which saves a switch to a store thread and back. */
    Optional<Reply> readFromMemory(Request.ReadKeys read, ReplyRoom room) {
        if (isUnfilled(read)) {
            return Optional.of(refilling(partitions(read.queries())));
        }
        List<Optional<Entry>> entries = new ArrayList<>(read.queries().size());
        for (Request.Query query : read.queries()) {
            Optional<Store.Held> held = store.getFromMemory(query.key());
            if (held.isEmpty()) {
                return Optional.empty();
            }
            entries.add(held.get().entry());
        }
        Iterator<Optional<Entry>> found = entries.iterator();
        return Optional.of(show(read, key -> found.next(), room));
    }

    Reply read(Request.ReadKeys read, ReplyRoom room) {
        if (isUnfilled(read)) {
            return refilling(partitions(read.queries()));
        }
        return show(read, store::get, room);
    }

    /** Reads keys, and returns the reply if the entries may be shown. */
    private Reply show(Request.ReadKeys read, Function<Key, Optional<Entry>> get, ReplyRoom room) {
        Shown shown = answer(read.queries(), get, read.inlineBytes(), room);
        if (isTooFarAhead(shown.newest())) {
            return tooFarAhead(shown);
        }
        Reply found = shown.reply();
        // Reads may have been refused since the first check: entries may have been missing.
        return isUnfilled(read) ? refilling(partitions(read.queries())) : found;
    }

    private BitSet partitions(List<Request.Query> queries) {
        BitSet partitions = new BitSet();
        queries.forEach(query -> partitions.set(partitionOf.applyAsInt(query.key())));
        return partitions;
    }

    /**
     * The result of a read.
     *
     * @param reply the reply
     * @param newest its newest version; null if nothing was found
     * @param newestKey the key of that version
     */
    private record Shown(
            Reply reply, @Nullable Version newest, @Nullable Key newestKey) {}

    private boolean isTooFarAhead(@Nullable Version newest) {
        return newest != null && clock.isTooFarAhead(newest);
    }

    /** Refuses to show an entry written by a wrong clock before its time: other replicas may hold a correct one. */
    private static Reply tooFarAhead(Shown shown) {
        return new Reply.Failed(
                ErrorCode.VERSION_TOO_FAR_AHEAD,
                "version " + shown.newest() + ", which it holds of key " + shown.newestKey()
                        + ", is too far ahead of its clock");
    }

    /** Reads one key after the other, so that of many values that do not fit, at most one is in memory. */
    private Shown answer(
            List<Request.Query> queries, Function<Key, Optional<Entry>> get, int inlineBytes, ReplyRoom room) {
        List<Answer> answers = new ArrayList<>(queries.size());
        // Only the newest version is checked against the clock, so that the clock is read once.
        @Nullable Version newest = null;
        @Nullable Key newestKey = null;
        for (Request.Query query : queries) {
            Optional<Entry> found = get.apply(query.key());
            if (found.isEmpty()) {
                answers.add(new Answer.Absent());
                continue;
            }
            Entry entry = found.get();
            if (newest == null || entry.version().compareTo(newest) > 0) {
                newest = entry.version();
                newestKey = entry.key();
            }
            int bytes = entry.value().length;
            // Values that do not fit are fetched by themselves afterwards.
            if ((query.whole() || bytes <= inlineBytes) && room.take(bytes)) {
                answers.add(new Answer.Whole(entry));
            } else {
                answers.add(new Answer.VersionOnly(entry.version(), bytes, entry.digest()));
            }
        }
        return new Shown(new Reply.Found(answers), newest, newestKey);
    }

    private boolean isUnfilled(Request.ReadKeys read) {
        return !unfilled.isEmpty()
                && read.queries().stream().anyMatch(query -> unfilled.contains(partitionOf.applyAsInt(query.key())));
    }

    /** Refuses a read: a quorum must not count a replica that may lack entries. */
    private Reply refilling(BitSet partitions) {
        return new Reply.Failed(ErrorCode.REPLICA_REFILLING, unfilled.why(partitions));
    }

    /** Refuses to take part if reads are refused since the first check; the coordinator then ends the snapshot. */
    private Reply opened(Version clock) {
        return unfilled.isEmpty() ? new Reply.CutOpened(clock) : refilling(new BitSet());
    }

    private void serve(Request.CutRequest request, Consumer<Reply> reply) {
        if (request instanceof Request.OpenCut && !unfilled.isEmpty()) {
            // Refused: if other nodes superseded entries before they were refilled here, they would keep them for the
            // snapshot, but this node could not.
            reply.accept(refilling(new BitSet()));
        } else if (request instanceof Request.OpenCut open) {
            cuts.open(open.id(), open.leaseNanos())
                    .whenComplete((clock, error) -> reply.accept(error == null ? opened(clock) : failed(error)));
        } else if (request instanceof Request.FixCut fix) {
            cuts.fix(fix.id(), fix.at())
                    .whenComplete((done, error) -> reply.accept(error == null ? new Reply.CutDone() : failed(error)));
        } else if (request instanceof Request.KeepCut keep) {
            Reply outcome;
            try {
                cuts.keep(keep.at());
                outcome = new Reply.CutDone();
            } catch (DhtException e) {
                outcome = failed(e);
            }
            reply.accept(outcome);
        } else if (request instanceof Request.EndCut end) {
            cuts.end(end.version());
            reply.accept(new Reply.CutDone());
        } else {
            throw new IllegalArgumentException("no request of its own: " + request);
        }
    }

    private Reply page(Request.CutPage cut) {
        try {
            Reply page = page(cut.page(), () -> cuts.cursor(cut.at(), cut.page().range()));
            // A page counts only if the snapshot was open until the page was complete.
            cuts.keep(cut.at());
            return page;
        } catch (DhtException e) {
            return failed(e);
        }
    }

    private static Reply failed(Throwable error) {
        return DhtException.unwrap(error) instanceof DhtException known
                ? new Reply.Failed(known.code(), String.valueOf(known.getMessage()))
                : new Reply.Failed(ErrorCode.INTERNAL, "internal error: " + error);
    }

    /**
     * Reads a page. A cursor may show a state as old as its opening or as new as its last entry. So every partition
     * must be complete both before and after.
     */
    private Reply page(Request.ScanPage scan, Supplier<EntryCursor> entriesOfRange) {
        if (isUnfilled(scan.partitions())) {
            return refilling(scan.partitions());
        }
        Reply page = pageOfWhatIsThere(scan, entriesOfRange);
        return isUnfilled(scan.partitions()) ? refilling(scan.partitions()) : page;
    }

    private boolean isUnfilled(BitSet partitions) {
        return !unfilled.isEmpty() && (partitions.isEmpty() || unfilled.containsAny(partitions));
    }

    private Reply pageOfWhatIsThere(Request.ScanPage scan, Supplier<EntryCursor> entriesOfRange) {
        int maxBytes = Math.min(scan.maxBytes(), maxValueBytes);
        int maxEntries = Math.max(1, scan.maxEntries());
        BitSet partitions = scan.partitions();
        List<Entry> entries = new ArrayList<>();
        long bytes = 0;
        long looks = (long) maxEntries * LOOK_PER_ENTRY;
        try (EntryCursor cursor = entriesOfRange.get()) {
            while (cursor.hasNext()) {
                Entry entry = cursor.next();
                boolean wanted = partitions.isEmpty() || partitions.get(partitionOf.applyAsInt(entry.key()));
                boolean full = entries.size() == maxEntries
                        || (!entries.isEmpty() && bytes + FrameCodec.encodedSize(entry) > maxBytes);
                if (looks-- == 0 || (wanted && full)) {
                    return new Reply.Page(entries, Optional.of(entry.key()));
                }
                if (wanted) {
                    entries.add(entry);
                    bytes += FrameCodec.encodedSize(entry);
                }
            }
        }
        return new Reply.Page(entries, Optional.empty());
    }
}
