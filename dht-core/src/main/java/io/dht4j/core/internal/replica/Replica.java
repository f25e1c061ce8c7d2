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
 * Serves requests from the local store, for this node's own coordinator and for peers alike. Does not block; each
 * request gets exactly one reply, on any thread, that of the caller included. Safe for use by any number of threads.
 */
public final class Replica {

    /** How many entries a page may look at for each that it may show, so that a sparse page ends too. */
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

    /** How many reads wait for the first answers of other nodes. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * A replica over a store.
     *
     * @param store where entries are
     * @param fence which entries are too old to come
     * @param content answers the questions of background repair
     * @param environment where store calls run
     * @param clock takes note of the versions seen
     * @param cuts the snapshots under way, which the store takes note for
     * @param partitionOf finds a key's partition
     * @param maxValueBytes the largest value that is accepted, and roughly the largest reply
     * @param maxWaiting how many requests may wait for the store
     * @param maxWaitingBytes how many bytes of writes may wait for the store
     * @param storeReads how many reads of the store may run at a time, each of which may hold a largest value
     * @param ages how long requests may wait for the store
     * @param unfilled partitions that must not be read
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
     * Serves a request that came by itself.
     *
     * @param request what is asked
     * @param context a request whose deadline has passed, or whose caller has lost interest, is not begun
     * @param reply takes the one reply
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
     * Whether a request waits for the first answers of other nodes, after which it is served again. Nobody waits twice,
     * and not more than may wait for the store. To be asked where partitions are unfilled.
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
     * @param request what is asked
     * @param demand asked again right before the store is: a request that nobody waits for is not begun. A write that
     *     was let in is dropped for its deadline only
     * @param reply takes the one reply
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
            // Other replicas compare themselves with what must not be read too.
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
     * Merges entries that this node has fetched from other replicas to become what it should be. They may be older than
     * what it takes from those who come by themselves.
     *
     * @param apply the entries
     * @param reply takes the one reply
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
     * How many requests were let in and never begun, since they had waited too long for the store or their deadlines
     * had passed.
     *
     * @return since the beginning
     */
    public long dropped() {
        return gate.dropped();
    }

    /**
     * Takes no more requests that need the store's threads.
     *
     * @return completes when those that were taken have ended
     */
    public CompletableFuture<Void> close() {
        return gate.close();
    }

    static Reply late() {
        return new Reply.Failed(ErrorCode.DEADLINE_PASSED, "the deadline passed before the work began");
    }

    /** Why entries must not be merged, or null if they may be. */
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

    /** The room for the values of the replies to a batch. */
    ReplyRoom room(Request.Batch batch) {
        return new ReplyRoom(
                Math.min(batch.replyBytes(), maxValueBytes), Math.min(batch.largestBytes(), maxValueBytes));
    }

    /** The answer, if the store has all of it in memory: that spares a change to one of its threads and back. */
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

    /** Answers with what is read, if it may be shown. */
    private Reply show(Request.ReadKeys read, Function<Key, Optional<Entry>> get, ReplyRoom room) {
        Shown shown = answer(read.queries(), get, read.inlineBytes(), room);
        if (isTooFarAhead(shown.newest())) {
            return tooFarAhead(shown);
        }
        Reply found = shown.reply();
        // One that begins to be refilled meanwhile may have been read without what it had.
        return isUnfilled(read) ? refilling(partitions(read.queries())) : found;
    }

    private BitSet partitions(List<Request.Query> queries) {
        BitSet partitions = new BitSet();
        queries.forEach(query -> partitions.set(partitionOf.applyAsInt(query.key())));
        return partitions;
    }

    /**
     * What was read.
     *
     * @param reply with it
     * @param newest of its versions; null if nothing was found
     * @param newestKey whose version that is
     */
    private record Shown(
            Reply reply, @Nullable Version newest, @Nullable Key newestKey) {}

    private boolean isTooFarAhead(@Nullable Version newest) {
        return newest != null && clock.isTooFarAhead(newest);
    }

    /** What was written when some clock was wrong is not shown before its time: others may know better. */
    private static Reply tooFarAhead(Shown shown) {
        return new Reply.Failed(
                ErrorCode.VERSION_TOO_FAR_AHEAD,
                "version " + shown.newest() + ", which it holds of key " + shown.newestKey()
                        + ", is too far ahead of its clock");
    }

    /** Reads one after the other: of many that do not fit into the reply, one at most is in memory. */
    private Shown answer(
            List<Request.Query> queries, Function<Key, Optional<Entry>> get, int inlineBytes, ReplyRoom room) {
        List<Answer> answers = new ArrayList<>(queries.size());
        // The newest of them decides whether they may be shown, so that the clock is read once.
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
            // Of several, what does not fit is fetched by itself afterwards.
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

    /** A quorum must not count on what may be missing here. */
    private Reply refilling(BitSet partitions) {
        return new Reply.Failed(ErrorCode.REPLICA_REFILLING, unfilled.why(partitions));
    }

    /** One that must not be read since a moment ago takes no part: whoever asked tells it to end the cut. */
    private Reply opened(Version clock) {
        return unfilled.isEmpty() ? new Reply.CutOpened(clock) : refilling(new BitSet());
    }

    private void serve(Request.CutRequest request, Consumer<Reply> reply) {
        if (request instanceof Request.OpenCut && !unfilled.isEmpty()) {
            // What others supersede before it is brought here, they would keep for the snapshot, and this one could
            // not.
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
            // A page counts only if nothing was forgotten until it was complete.
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
     * What a cursor shows may be as old as its opening, or as new as its last entry; so both before and after it every
     * partition must have been there as a whole.
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
