package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes operations on registers as their proposer. Any node with a store may be one for any key; as long as all
 * nodes prefer the same one, its ballots meet no others. The operations of a key wait for one another, and several
 * share a round. Does not block; safe for use by any number of threads.
 */
public final class Proposer {

    /** The part of a request's time that is kept for the reply. */
    private static final int REPLY_SHARE = 5;

    private final RegisterServices services;
    private final ConcurrentMap<Key, RegisterQueue> queues = new ConcurrentHashMap<>();

    /**
     * Creates a proposer without operations.
     *
     * @param services what it uses
     */
    Proposer(RegisterServices services) {
        this.services = services;
    }

    /**
     * Executes an operation.
     *
     * @param key the key, in the space of registers
     * @param operation the operation
     * @param context the deadline
     * @param observed the call that it belongs to; null without an observer
     * @param reply receives an {@link io.dht4j.core.internal.wire.RegisterReply.Outcome}, an
     *     {@link io.dht4j.core.internal.wire.RegisterReply.Unknown} or a failure, on any thread. After the failure
     *     {@link ErrorCode#NO_REPLY} the operation may be executed or not; after any other one, this attempt has
     *     certainly not executed it
     */
    void execute(
            Key key, Operation operation, CallContext context, @Nullable ObservedCall observed, Consumer<Reply> reply) {
        execute(key, new Attempt(operation, context, observed, false, reply));
    }

    /**
     * Executes an operation for another node, as {@code execute} does, but gives up a while before the deadline: so
     * that node learns of the end before it turns to another proposer.
     */
    public void serve(Key key, Operation operation, CallContext context, Consumer<Reply> reply) {
        long remaining = context.remainingNanos();
        CallContext earlier = new CallContext(services.environment()::nanoTime, remaining - remaining / REPLY_SHARE);
        execute(key, operation, earlier, null, reply);
    }

    /**
     * Lets all replicas of a register that answer accept its chosen state, under a new ballot.
     *
     * @param reply receives the reply as after {@link #execute}
     */
    void unify(Key key, Operation read, CallContext context, Consumer<Reply> reply) {
        execute(key, new Attempt(read, context, null, true, reply));
    }

    private void execute(Key key, Attempt attempt) {
        boolean[] isAdded = new boolean[1];
        // Within compute, so that the queue is not removed meanwhile.
        RegisterQueue queue = queues.compute(key, (same, present) -> {
            RegisterQueue used = present == null ? new RegisterQueue(services, key, queues) : present;
            isAdded[0] = used.add(attempt);
            return used;
        });
        if (isAdded[0]) {
            queue.drain();
        } else {
            attempt.fail(
                    ErrorCode.OVERLOADED,
                    "overloaded: too many atomic operations wait for key " + AtomicSpace.shown(key));
        }
    }
}
