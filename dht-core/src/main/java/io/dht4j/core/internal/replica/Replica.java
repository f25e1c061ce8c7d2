package io.dht4j.core.internal.replica;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.observation.HotKeyCounter;
import io.dht4j.core.internal.observation.HotKeyWindow;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.replica.promise.Promises;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.options.NodeOptions.Limits;
import io.dht4j.core.options.OverloadProtection.QueueAges;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves requests from the local store, of this node's own coordinator and of peers alike. Does not block. Each request
 * gets exactly one reply, on any thread, including the caller's. Safe for use by any number of threads.
 */
public final class Replica {

    private final Store store;
    private final LocalReplica local;
    private final ReplicaReader reader;
    private final StoreGate gate;
    private final LongSupplier nanoTime;
    private final HybridClock clock;
    private final Snapshots snapshots;
    private final RowGuard rows;
    private final int maxValueBytes;
    private final PartitionReadBarrier barrier;
    private final int maxWaiting;
    private final HotKeyCounter hotKeys;
    private final RegisterReplica registers;
    private volatile RegisterExecutor executor = (key, operation, context, reply) ->
            reply.accept(new Reply.Failed(ErrorCode.NOT_SERVING, "this node executes no atomic operations yet"));

    /** The number of reads that wait for the first answers of other nodes. */
    private final AtomicInteger waitingReads = new AtomicInteger();

    /**
     * Creates a replica over a store.
     *
     * @param store is read
     * @param writer writes to it
     * @param local answers the requests of background repair
     * @param environment runs store calls
     * @param clock observes versions
     * @param snapshots the open snapshots
     * @param rows refuses requests with another table than this node's
     * @param limits the largest accepted value, and roughly the largest reply; how many requests and bytes may wait for
     *     the store, and how many of them may read it at a time
     * @param ages how long requests may wait for the store
     * @param barrier the partitions whose reads are refused
     * @param hotKeys counts the keys of requests on demand
     * @param watermarks show which registers may have been purged
     * @param promises the promises to proposers of registers
     */
    public Replica(
            Store store,
            EntryWriter writer,
            LocalReplica local,
            Environment environment,
            HybridClock clock,
            Snapshots snapshots,
            RowGuard rows,
            Limits limits,
            QueueAges ages,
            PartitionReadBarrier barrier,
            HotKeyCounter hotKeys,
            PurgeWatermarks watermarks,
            Promises promises) {
        this.store = store;
        this.local = local;
        this.reader = new ReplicaReader(store, clock, rows, limits.maxValueBytes(), barrier, hotKeys);
        this.gate = new StoreGate(store, writer, environment, limits, ages);
        this.nanoTime = environment::nanoTime;
        this.clock = clock;
        this.snapshots = snapshots;
        this.rows = rows;
        this.maxValueBytes = limits.maxValueBytes();
        this.barrier = barrier;
        this.maxWaiting = limits.maxInFlight();
        this.hotKeys = hotKeys;
        this.registers = new RegisterReplica(store, gate, rows, clock, watermarks, promises, barrier);
    }

    /**
     * Serves a request that arrived in a frame of its own.
     *
     * @param request the request
     * @param rowVersion the row version that came with it; 0 for none, and for a batch
     * @param context the call; an expired or cancelled request is not begun
     * @param reply receives the one reply
     */
    public void serve(Request request, long rowVersion, CallContext context, Consumer<Reply> reply) {
        serve(request, rowVersion, context, null, reply);
    }

    /** Serves a request that arrived in a frame of its own, and ends its spans. */
    void serve(
            Request request, long rowVersion, CallContext context, @Nullable ServedSpans spans, Consumer<Reply> reply) {
        if (!barrier.isEmpty() && mustWait(request, () -> serve(request, rowVersion, context, spans, reply))) {
            return;
        }
        if (request instanceof RegisterRequest.Execute execute) {
            execute(execute, context, spans, reply);
        } else if (request instanceof Request.Batch batch) {
            new BatchService(this, reader, registers, gate, nanoTime, batch, context, spans, reply).serve();
        } else if (spans == null) {
            serve(request, rowVersion, CallLiveness.of(context, null), reply);
        } else {
            serve(request, rowVersion, CallLiveness.of(context, spans.of(0)), answer -> {
                spans.end(0, answer);
                reply.accept(answer);
            });
        }
    }

    /** Executes operations on registers as their proposer. */
    @FunctionalInterface
    public interface RegisterExecutor {

        /**
         * Executes an operation.
         *
         * @param key the key, in the space of registers
         * @param operation the operation
         * @param context the deadline
         * @param reply receives the one reply
         */
        void execute(Key key, Operation operation, CallContext context, Consumer<Reply> reply);
    }

    /**
     * Sets what executes the operations that peers send to this node.
     *
     * @param proposer the proposer of this node
     */
    public void executeBy(RegisterExecutor proposer) {
        executor = proposer;
    }

    private void execute(
            RegisterRequest.Execute execute, CallContext context, @Nullable ServedSpans spans, Consumer<Reply> reply) {
        Consumer<Reply> answered = spans == null
                ? reply
                : answer -> {
                    spans.end(0, answer);
                    reply.accept(answer);
                };
        Version since = execute.operation().since();
        if (!AtomicSpace.contains(execute.key())) {
            answered.accept(
                    new Reply.Failed(ErrorCode.BAD_REQUEST, "key " + execute.key() + " is not one of a register"));
        } else if (!clock.observe(since)) {
            answered.accept(new Reply.Failed(
                    ErrorCode.VERSION_TOO_FAR_AHEAD,
                    "the operation began at " + since + ", which is more than " + clock.maxSkewMillis()
                            + " ms ahead of this node's clock: set the clocks of both nodes"));
        } else {
            executor.execute(execute.key(), execute.operation(), context, answered);
        }
    }

    /**
     * Makes a read wait for the first answers of other nodes, after which it is served again. A read waits only once;
     * the number of waiting reads is limited like that for the store. Called if reads of its partitions are refused.
     *
     * @return false if the request does not wait
     */
    private boolean mustWait(Request request, Runnable again) {
        if (barrier.checked().isDone() || !reads(request)) {
            return false;
        }
        if (waitingReads.incrementAndGet() > maxWaiting) {
            waitingReads.decrementAndGet();
            return false;
        }
        barrier.checked().thenRun(() -> {
            waitingReads.decrementAndGet();
            again.run();
        });
        return true;
    }

    private static boolean reads(Request request) {
        return request instanceof Request.ReadKeys
                || request instanceof Request.ScanPage
                || request instanceof Request.RefillPage
                || request instanceof Request.SnapshotPage
                || request instanceof Request.OpenSnapshot
                || (request instanceof Request.Batch batch
                        && batch.parts().stream().anyMatch(part -> reads(part.request())));
    }

    /**
     * Serves a request that is no batch.
     *
     * @param request the request
     * @param rowVersion the row version that came with it; 0 for none
     * @param liveness checked again right before the store is called: a request whose answer is not needed is not
     *     begun. An accepted write is dropped only for its deadline
     * @param reply receives the one reply
     */
    public void serve(Request request, long rowVersion, CallLiveness liveness, Consumer<Reply> reply) {
        if (!barrier.isEmpty() && mustWait(request, () -> serve(request, rowVersion, liveness, reply))) {
            return;
        }
        if (liveness.isOver()) {
            reply.accept(late());
        } else if (request instanceof Request.ReadKeys read) {
            gate.read(new StoreGate.Read(liveness, reader.work(read, rowVersion, null), reply));
        } else if (request instanceof Request.ApplyEntries apply) {
            Reply refusal = admit(apply);
            if (refusal != null) {
                reply.accept(refusal);
            } else {
                gate.apply(apply.entries(), rowVersion, liveness, reply);
            }
        } else if (request instanceof RegisterRequest.Accept accept) {
            Reply refusal = registers.admit(accept, rowVersion);
            if (refusal != null) {
                reply.accept(refusal);
            } else {
                gate.apply(List.of(accept.entry()), rowVersion, liveness, reply);
            }
        } else if (request instanceof RegisterRequest register) {
            registers.serve(register, rowVersion, liveness, null, reply);
        } else if (request instanceof Request.ScanPage scan) {
            gate.later(StoreGate.Read.through(
                    liveness, () -> reader.page(scan, rowVersion, () -> store.scan(scan.range())), reply));
        } else if (request instanceof Request.RefillPage refill) {
            Request.ScanPage scan = refill.page();
            gate.maintain(StoreGate.Read.through(
                    liveness, () -> reader.page(scan, rowVersion, () -> store.scan(scan.range())), reply));
        } else if (request instanceof RepairRequest.Entries compared) {
            // Comparisons are served also for partitions whose other reads are refused.
            gate.maintain(StoreGate.Read.through(
                    liveness, () -> fenced(compared, rowVersion, () -> reader.read(compared)), reply));
        } else if (request instanceof RepairRequest repair) {
            gate.maintain(
                    StoreGate.Read.through(liveness, () -> fenced(repair, rowVersion, () -> answer(repair)), reply));
        } else if (request instanceof Request.SnapshotPage page) {
            gate.later(StoreGate.Read.through(liveness, () -> page(page, rowVersion), reply));
        } else if (request instanceof Request.SnapshotRequest snapshot) {
            serve(snapshot, rowVersion, reply);
        } else if (request instanceof Request.Features) {
            reply.accept(new Reply.Features(Reply.Features.TRACES | registers.features()));
        } else {
            reply.accept(new Reply.Pong());
        }
    }

    /**
     * Merges entries that this node has fetched from other replicas to complete its own. They may be older than those
     * accepted from other requests.
     *
     * @param apply the entries
     * @param rowVersion the row version of the view of their fetch; 0 for none
     * @param reply receives the one reply
     */
    public void refill(Request.ApplyEntries apply, long rowVersion, Consumer<Reply> reply) {
        Reply refusal = refusal(apply, true);
        if (refusal != null) {
            reply.accept(refusal);
        } else {
            gate.refill(apply.entries(), rowVersion, reply);
        }
    }

    /**
     * Returns the number of requests that wait for the store or are in it, without those of maintenance.
     *
     * @return a number that may be outdated at once, with its limit
     */
    public Bounded waiting() {
        return gate.waiting();
    }

    /**
     * Returns the bytes of the writes that wait for the store or are in it.
     *
     * @return bytes that may be outdated at once, with their limit
     */
    public Bounded waitingBytes() {
        return gate.waitingBytes();
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

    /** Leaves the accepted requests that have not ended: the store is closed under them. */
    public void abandon() {
        gate.abandon();
    }

    static Reply late() {
        return new Reply.Failed(ErrorCode.DEADLINE_PASSED, "the deadline passed before the work began");
    }

    /** Returns the refusal of a write, or null, having counted it, if it may be merged. */
    @Nullable
    Reply admit(Request.ApplyEntries apply) {
        Reply refusal = refusal(apply, false);
        HotKeyWindow window = hotKeys.window();
        if (window != null && refusal == null) {
            apply.entries().forEach(entry -> window.wrote(entry.key(), entry.value().length));
        }
        return refusal;
    }

    /** Returns the refusal of entries, or null if they may be merged. */
    private @Nullable Reply refusal(Request.ApplyEntries apply, boolean isRefill) {
        for (int i = 0; i < apply.entries().size(); i++) {
            Entry entry = apply.entries().get(i);
            if (AtomicSpace.contains(entry.key()) && !isRefill) {
                return new Reply.Failed(ErrorCode.ATOMIC_KEY, AtomicSpace.refusal(entry.key()));
            }
            int most = AtomicSpace.contains(entry.key())
                    ? Math.max(maxValueBytes, RegisterCodec.MAX_BYTES)
                    : maxValueBytes;
            if (entry.value().length > most) {
                return new Reply.Failed(
                        ErrorCode.VALUE_TOO_LARGE,
                        "a value has at most " + most + " bytes here, not " + entry.value().length);
            }
            if (!clock.observe(entry.version())) {
                return new Reply.Failed(
                        ErrorCode.VERSION_TOO_FAR_AHEAD,
                        "version " + entry.version() + " is more than " + clock.maxSkewMillis()
                                + " ms ahead of this node's clock: set the clocks of both nodes");
            }
        }
        return null;
    }

    /** Refuses the snapshot if reads have been refused since the first check; the coordinator then ends it. */
    private Reply opened(Version clock) {
        return reader.lacksEntries() ? reader.refused(PartitionSet.empty()) : new Reply.SnapshotOpened(clock);
    }

    private Reply answer(RepairRequest request) {
        return request instanceof RepairRequest.Sums sums && sums.detail() == RepairRequest.Detail.PROMISES
                ? registers.highest(sums.partitions())
                : local.answer(request);
    }

    /** Answers a request of repair if the rows of its partitions are those of its sender, before and after. */
    private Reply fenced(RepairRequest request, long rowVersion, Supplier<Reply> answer) {
        Reply before = rows.refusal(request, rowVersion);
        if (before != null) {
            return before;
        }
        Reply answered = answer.get();
        Reply after = rows.refusal(request, rowVersion);
        return after == null ? answered : after;
    }

    /** Returns the refusal of a snapshot with another table. */
    private @Nullable Reply refusal(Request.SnapshotRequest request, long rowVersion) {
        boolean takesPart = request instanceof Request.OpenSnapshot || request instanceof Request.FixSnapshot;
        return takesPart ? rows.refusal(PartitionSet.empty(), rowVersion) : null;
    }

    private void serve(Request.SnapshotRequest request, long rowVersion, Consumer<Reply> reply) {
        Reply refusal = refusal(request, rowVersion);
        if (refusal != null) {
            reply.accept(refusal);
        } else if (request instanceof Request.OpenSnapshot && reader.lacksEntries()) {
            // Refused: other nodes keep the entries that they supersede during the refill for the snapshot, which this
            // node could not.
            reply.accept(reader.refused(PartitionSet.empty()));
        } else if (request instanceof Request.OpenSnapshot open) {
            snapshots
                    .open(open.id(), open.leaseNanos())
                    .whenComplete((clock, error) -> reply.accept(error == null ? opened(clock) : failed(error)));
        } else if (request instanceof Request.FixSnapshot fix) {
            snapshots
                    .fix(fix.id(), fix.at())
                    .whenComplete(
                            (done, error) -> reply.accept(error == null ? new Reply.SnapshotDone() : failed(error)));
        } else if (request instanceof Request.RenewSnapshot keep) {
            Reply outcome;
            try {
                snapshots.renew(keep.at());
                outcome = new Reply.SnapshotDone();
            } catch (DhtException e) {
                outcome = failed(e);
            }
            reply.accept(outcome);
        } else if (request instanceof Request.EndSnapshot end) {
            snapshots.end(end.version());
            reply.accept(new Reply.SnapshotDone());
        } else {
            throw new IllegalArgumentException("no request of its own: " + request);
        }
    }

    private Reply page(Request.SnapshotPage request, long rowVersion) {
        try {
            PartitionSet lacking =
                    snapshots.lacking(request.at(), request.page().partitions());
            if (!lacking.isEmpty()) {
                return new Reply.SnapshotLacks(lacking);
            }
            Reply page = reader.page(
                    request.page(),
                    rowVersion,
                    () -> snapshots.cursor(request.at(), request.page().range()));
            // A page counts only if the snapshot was open until the page was complete.
            snapshots.renew(request.at());
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
}
