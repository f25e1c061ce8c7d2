package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.ErrorCode;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a proposer at an operation. Its state belongs to the round that it is in, of which it has one at a
 * time.
 */
final class Attempt {

    final Operation operation;
    final CallContext context;
    /** The call of this node that it belongs to; null if it belongs to none, or without an observer. */
    final @Nullable ObservedCall observed;

    /** Whether all replicas that answer are to accept the result, not a majority only. */
    final boolean isForAll;

    private final Consumer<Reply> reply;

    /** Whether a replica may have accepted, or may yet accept, a state that this attempt has changed. */
    private boolean mayBeDone;

    private Optional<Reply> outcome = Optional.empty();
    private final AtomicBoolean isOver = new AtomicBoolean();

    /**
     * Creates an attempt.
     *
     * @param observed the call of this node that it belongs to; null if it belongs to none, or without an observer
     * @param isForAll whether all replicas that answer are to accept the result, not a majority only
     * @param reply receives a {@link RegisterReply.Outcome}, a {@link RegisterReply.Unknown} or a failure
     */
    Attempt(
            Operation operation,
            CallContext context,
            @Nullable ObservedCall observed,
            boolean isForAll,
            Consumer<Reply> reply) {
        this.operation = operation;
        this.context = context;
        this.observed = observed;
        this.isForAll = isForAll;
        this.reply = reply;
    }

    /** Executes the operation, and keeps its outcome until the new state is chosen. */
    Register execute(Register before, long nowMillis, Version at) {
        Operation.Step step = operation.execute(before, nowMillis, at);
        Register after = step.register();
        outcome = step.result().map(executed -> new RegisterReply.Outcome(executed, shown(after)));
        return after;
    }

    private static Register shown(Register register) {
        return new Register(
                register.kind(),
                register.revision(),
                register.expiresAtMillis(),
                Register.NEVER_CHANGED,
                List.<Executed>of(),
                register.value());
    }

    /** Returns whether the last execution has an outcome. */
    boolean hasOutcome() {
        return outcome.isPresent();
    }

    /** Notes that the state after the last execution is being sent to replicas. */
    void isProposed() {
        mayBeDone = true;
    }

    /** Returns whether its reply has been given. */
    boolean isOver() {
        return isOver.get();
    }

    /** The state after the last execution is chosen. */
    void succeed() {
        give(outcome.orElseThrow());
    }

    private void give(Reply given) {
        if (isOver.compareAndSet(false, true)) {
            reply.accept(given);
        }
    }

    /** The register has forgotten whether the operation was executed before. */
    void forgotten(Version newest) {
        give(mayBeDone ? unknown("the register has forgotten it meanwhile") : new RegisterReply.Unknown(newest));
    }

    /** Ends without an outcome. */
    void fail(ErrorCode code, String why) {
        // What did not answer was asked for promises only.
        ErrorCode known = code == ErrorCode.NO_REPLY ? ErrorCode.NOT_ENOUGH_REPLICAS : code;
        give(mayBeDone ? unknown(why) : new Reply.Failed(known, why));
    }

    private static Reply unknown(String why) {
        return new Reply.Failed(ErrorCode.NO_REPLY, why);
    }
}
