package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.replica.promise.Promises;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Store;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves the requests of proposers of registers: promises ballots, and shows what this node has accepted. What it
 * accepts goes through the {@link EntryWriter}, together with plain writes.
 *
 * <p>A promise is made before the accepted state is read, and the row is compared again afterwards. So a proposer with
 * the reply knows all that this replica has accepted, or will, below the ballot. Does not block; each request gets
 * exactly one reply, on any thread. Safe for use by any number of threads.
 */
final class RegisterReplica {

    private final Store store;
    private final StoreGate gate;
    private final RowGuard rows;
    private final HybridClock clock;
    private final PurgeWatermarks watermarks;
    private final Promises promises;
    private final PartitionReadBarrier barrier;

    RegisterReplica(
            Store store,
            StoreGate gate,
            RowGuard rows,
            HybridClock clock,
            PurgeWatermarks watermarks,
            Promises promises,
            PartitionReadBarrier barrier) {
        this.store = store;
        this.gate = gate;
        this.rows = rows;
        this.clock = clock;
        this.watermarks = watermarks;
        this.promises = promises;
        this.barrier = barrier;
    }

    /** A request on its way. */
    private record Asked(
            Key key,
            long rowVersion,
            CallLiveness liveness,
            @Nullable ReplyRoom room,
            Consumer<Reply> reply) {}

    /**
     * Serves a request to promise or to show.
     *
     * @param rowVersion the row version that came with it
     * @param room the space for values in a shared reply; null for a separate reply
     */
    void serve(
            RegisterRequest request,
            long rowVersion,
            CallLiveness liveness,
            @Nullable ReplyRoom room,
            Consumer<Reply> reply) {
        Asked asked = new Asked(request.key(), rowVersion, liveness, room, reply);
        Reply refusal = liveness.isOver() ? Replica.late() : admit(request, rowVersion);
        refusal = refusal == null ? refusal(request.key()) : refusal;
        if (refusal != null) {
            reply.accept(refusal);
        } else if (request instanceof RegisterRequest.Prepare prepare) {
            promise(prepare, asked);
        } else if (request instanceof RegisterRequest.Read) {
            show(asked);
        } else {
            throw new IllegalArgumentException("not served here: " + request);
        }
    }

    /** Admits a request, and prepares to promise the next ballot of an accept. Returns the refusal, or null. */
    @Nullable
    Reply admit(RegisterRequest request, long rowVersion) {
        if (!AtomicSpace.contains(request.key())) {
            return new Reply.Failed(ErrorCode.BAD_REQUEST, "key " + request.key() + " is not one of a register");
        }
        Version ballot = ballot(request);
        if (ballot != null && !clock.observe(ballot)) {
            return new Reply.Failed(
                    ErrorCode.VERSION_TOO_FAR_AHEAD,
                    "ballot " + ballot + " is more than " + clock.maxSkewMillis()
                            + " ms ahead of this node's clock: set the clocks of both nodes");
        }
        Reply refusal = rows.refusalOfRegister(request.key(), rowVersion);
        if (refusal == null && request instanceof RegisterRequest.Accept accept) {
            promises.expect(accept.key(), accept.entry().version(), accept.next());
        }
        return refusal;
    }

    /** Returns the refusal to show what was accepted, where this node may lack a part of it. */
    private @Nullable Reply refusal(Key key) {
        int partition = rows.partitionOf(key);
        return barrier.contains(partition)
                ? new Reply.Failed(ErrorCode.REPLICA_REFILLING, barrier.why(PartitionSet.of(partition)))
                : null;
    }

    private static @Nullable Version ballot(RegisterRequest request) {
        if (request instanceof RegisterRequest.Prepare prepare) {
            return prepare.ballot();
        }
        return request instanceof RegisterRequest.Accept accept ? accept.entry().version() : null;
    }

    /** Returns what this node announces to others about registers. */
    long features() {
        return promises.wereMade()
                ? Reply.Features.REGISTERS | Reply.Features.REGISTERS_USED
                : Reply.Features.REGISTERS;
    }

    /** Returns the highest promises of some partitions, in any row, for a node that takes them over. */
    Reply highest(PartitionSet partitions) {
        return partitions.bound() > rows.partitions() || partitions.cardinality() > LocalReplica.MAX_SUMS
                ? new Reply.Failed(
                        ErrorCode.BAD_REQUEST,
                        "at most " + LocalReplica.MAX_SUMS + " partitions up to " + (rows.partitions() - 1)
                                + " at a time, not " + partitions.cardinality())
                : new RepairReply.Sums(
                        false,
                        promises.highest(partitions).stream()
                                .map(Version::packed)
                                .toList(),
                        List.of(),
                        List.of());
    }

    private void promise(RegisterRequest.Prepare prepare, Asked asked) {
        int partition = rows.partitionOf(prepare.key());
        Version ballot = prepare.ballot();
        Version purged = watermarks.fenced(partition);
        if (ballot.compareTo(purged) <= 0) {
            asked.reply().accept(new RegisterReply.Refused(purged));
            return;
        }
        Runnable again = again(prepare, asked);
        if (!promises.permits(ballot)) {
            promises.permit(ballot).whenComplete((raised, error) -> {
                if (error == null) {
                    again.run();
                } else {
                    asked.reply().accept(unwritable("promises: " + error.getMessage()));
                }
            });
            return;
        }
        switch (promises.promise(prepare.key(), partition, ballot, asked.rowVersion(), again)) {
            case GIVEN -> read(asked, (held, watermark) -> promised(ballot, held, watermark, asked));
            case REFUSED -> asked.reply().accept(new RegisterReply.Refused(promises.highest(prepare.key(), partition)));
            case WAITS -> {}
            case BUSY -> asked.reply().accept(unsettled(prepare.key()));
            case BROKEN -> asked.reply().accept(broken(prepare.key()));
        }
    }

    /** Returns what serves a request again later. Throws nothing. */
    private Runnable again(RegisterRequest request, Asked asked) {
        return () -> {
            try {
                serve(request, asked.rowVersion(), asked.liveness(), asked.room(), asked.reply());
            } catch (RuntimeException | Error e) {
                asked.reply().accept(new Reply.Failed(ErrorCode.INTERNAL, "an unexpected error: " + e));
            }
        };
    }

    private Reply promised(Version ballot, Optional<Entry> stored, Version watermark, Asked asked) {
        Optional<Entry> doubtful = promises.doubtful(asked.key());
        Optional<Entry> held = doubtful.filter(entry -> stored.isEmpty()
                        || entry.version().compareTo(stored.get().version()) > 0)
                .or(() -> stored);
        Optional<Version> accepted = held.map(Entry::version).filter(version -> version.compareTo(ballot) >= 0);
        return accepted.isPresent()
                ? new RegisterReply.Refused(accepted.get())
                : new RegisterReply.Promised(watermark, answer(held, asked.room()));
    }

    private void show(Asked asked) {
        Runnable again = again(new RegisterRequest.Read(asked.key()), asked);
        switch (promises.await(asked.key(), again)) {
            case GIVEN -> read(asked, (held, watermark) -> shown(held, watermark, asked));
            case REFUSED, BUSY -> asked.reply().accept(unsettled(asked.key()));
            case WAITS -> {}
            case BROKEN -> asked.reply().accept(broken(asked.key()));
        }
    }

    private Reply shown(Optional<Entry> held, Version watermark, Asked asked) {
        // What an accept has changed since may not be durable yet.
        return switch (promises.state(asked.key())) {
            case GIVEN -> new RegisterReply.Held(watermark, answer(held, asked.room()));
            case BROKEN -> broken(asked.key());
            case REFUSED, WAITS, BUSY -> unsettled(asked.key());
        };
    }

    private void read(Asked asked, BiFunction<Optional<Entry>, Version, Reply> answer) {
        gate.read(new StoreGate.Read(
                asked.liveness(),
                new StoreGate.Work() {
                    @Override
                    public Optional<Reply> fromMemory() {
                        return store.getFromMemory(asked.key()).map(held -> answer(held.entry()));
                    }

                    @Override
                    public Reply fromStore() {
                        return answer(store.get(asked.key()));
                    }

                    private Reply answer(Optional<Entry> held) {
                        // Before the row is compared, since it may change with the row.
                        Version watermark = watermarks.fenced(rows.partitionOf(asked.key()));
                        Reply given = answer.apply(held, watermark);
                        Reply refusal = rows.refusalOfRegister(asked.key(), asked.rowVersion());
                        refusal = refusal == null ? refusal(asked.key()) : refusal;
                        return refusal == null ? given : refusal;
                    }

                    @Override
                    public Observer.Request kind() {
                        return Observer.Request.READ;
                    }

                    @Override
                    public int items() {
                        return 1;
                    }
                },
                asked.reply()));
    }

    private static Answer answer(Optional<Entry> held, @Nullable ReplyRoom room) {
        if (held.isEmpty()) {
            return new Answer.Absent();
        }
        Entry entry = held.get();
        int bytes = entry.value().length;
        return room == null || room.take(bytes)
                ? new Answer.Whole(entry)
                : new Answer.VersionOnly(entry.version(), bytes, entry.digest());
    }

    static Reply broken(Key key) {
        return unwritable("key " + key + ", so that it may appear later");
    }

    private static Reply unwritable(String what) {
        return new Reply.Failed(ErrorCode.STORE_FAILED, "the store could not write " + what);
    }

    private static Reply unsettled(Key key) {
        return new Reply.Failed(ErrorCode.OVERLOADED, "key " + key + " is being written");
    }
}
