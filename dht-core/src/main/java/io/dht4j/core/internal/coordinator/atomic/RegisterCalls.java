package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.NodeGauges;
import io.dht4j.RequestId;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The atomic operations of a node's callers. Each is sent to the proposer that all nodes prefer, the first node of the
 * key's row that answers. If the outcome of an attempt is unknown, the operation is sent again, to the next node, under
 * the same id: so it is executed once. Reads ask the replicas themselves, in one round if they agree. Does not block;
 * safe for use by any number of threads.
 */
public final class RegisterCalls {

    /** How long a lead is used at most. */
    private static final long LEAD_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private static final long UNIFY_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Leaves the bits of an id that do not count. */
    private static final int CLIENT_SHIFT = 52;

    final RegisterServices services;
    final Proposer proposer;
    final RegisterMembers members;
    /** Random, so that no other node has the same ids. */
    private final long client;

    private final AtomicLong sequence = new AtomicLong();

    /**
     * Creates the calls of a node.
     *
     * @param components the components of the node
     * @param replicas asks the replicas
     * @param versions issues ballots and revisions
     * @param snapshots the snapshots of this node
     * @param maxBytes roughly the heap for the states of registers that this node has changed last
     * @param purgeAfter how far purges stay behind the clock
     * @param isUsed whether this node has ever served a register
     */
    public RegisterCalls(
            NodeComponents components,
            ReplicaClient replicas,
            VersionSource versions,
            Snapshots snapshots,
            long maxBytes,
            Duration purgeAfter,
            BooleanSupplier isUsed) {
        this.services = new RegisterServices(
                components,
                replicas,
                versions,
                snapshots,
                new Leads(maxBytes),
                Math.min(LEAD_MILLIS, purgeAfter.toMillis() / 2),
                new RegisterCounts(),
                new AtomicBoolean());
        this.proposer = new Proposer(services);
        this.members = new RegisterMembers(services, isUsed);
        this.client = components.environment().random().nextLong();
    }

    /** Lets the operations that lack a majority end after their present attempts, so that the node closes soon. */
    public void close() {
        services.closing().set(true);
    }

    /** Returns what the operations have cost this node. */
    public NodeGauges.AtomicOperations counts() {
        return services.counts().sum();
    }

    /**
     * Returns the proposer of this node, which serves the other nodes too.
     *
     * @return the proposer
     */
    public Proposer proposer() {
        return proposer;
    }

    /**
     * Executes an operation.
     *
     * @param key the key, in the space of registers
     * @param change what it does
     * @param given the id of an operation that may have been attempted before; empty for a new one
     * @param context the deadline
     * @param observed the call that it belongs to; null without an observer
     * @return completes with its outcome, also if its condition does not hold. Fails with
     *     {@link InvalidRequestException} in a cluster of a fixed list, with {@link UnavailableException} if this call
     *     has certainly not executed it, and with an {@link IndeterminateException} that has its id if that is unknown
     */
    public CompletableFuture<RegisterReply.Outcome> execute(
            Key key,
            AtomicChange change,
            Optional<RequestId> given,
            CallContext context,
            @Nullable ObservedCall observed) {
        if (!services.components().view().hasRowVersions()) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "atomic operations need a cluster that agrees on its nodes: restart all nodes with"
                            + " Membership.bootstrap in place of the fixed list"));
        }
        return new RegisterCall(this, key, change, given, context, observed).start();
    }

    /**
     * Lets the replicas of a register agree on its chosen state, which becomes absent first if it has expired.
     *
     * @param key the key, in the space of registers
     * @return completes once a majority has accepted it, and the other replicas that answer have been asked to; fails
     *     with {@link DhtException} if that has not been reached in time
     */
    public CompletableFuture<Void> unify(Key key) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        try {
            Operation read = new Operation(newId(now()), AtomicChange.read());
            CallContext context = new CallContext(services.environment()::nanoTime, UNIFY_NANOS);
            proposer.unify(key, read, context, reply -> {
                if (reply instanceof Reply.Failed failed) {
                    result.completeExceptionally(DhtException.of(failed.code(), failed.message()));
                } else {
                    result.complete(null);
                }
            });
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    /**
     * Returns the time at which an operation begins, by the wall clock: the hybrid clock may be too far ahead for
     * others, after the wall clock was.
     */
    long now() {
        return Math.max(0, services.environment().currentTimeMillis());
    }

    RequestId newId(long millis) {
        return RequestId.of(millis, client >>> CLIENT_SHIFT, client + sequence.incrementAndGet());
    }
}
