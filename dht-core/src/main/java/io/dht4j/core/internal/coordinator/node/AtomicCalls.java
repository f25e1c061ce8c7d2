package io.dht4j.core.internal.coordinator.node;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.atomic.AtomicOptions;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.coordinator.atomic.RegisterCalls;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Admits the operations on atomic keys, and starts them. Does not block; safe for use by any number of threads. */
final class AtomicCalls {

    /** An id of the future would make the key forget other operations early. */
    private static final long MOST_AHEAD_MILLIS = 2_000;

    private final RegisterCalls registers;
    private final Environment environment;
    private final CallRules rules;
    private final Admission admission;
    private final Observations observations;

    AtomicCalls(
            RegisterCalls registers,
            Environment environment,
            CallRules rules,
            Admission admission,
            Observations observations) {
        this.registers = registers;
        this.environment = environment;
        this.rules = rules;
        this.admission = admission;
        this.observations = observations;
    }

    /** Starts an operation, observed under the key of its register. */
    CompletableFuture<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions options) {
        boolean isRead = change.kind() == AtomicChange.Kind.READ;
        Observer.Call call = isRead ? Observer.Call.ATOMIC_GET : Observer.Call.ATOMIC_CHANGE;
        Key register;
        try {
            register = AtomicSpace.key(map, key);
        } catch (InvalidRequestException e) {
            return admission.run(observations.begin(call, 1, options), () -> CompletableFuture.failedFuture(e));
        }
        ObservedCall observed = observations.begin(call, register, options);
        return admission.run(isRead ? 0 : (long) key.length() + change.value().length, observed, () -> {
            AtomicOptions.require(options);
            rules.requireFits(key, change.value());
            options.requestId().ifPresent(this::requireNow);
            return registers
                    .execute(register, change, options.requestId(), rules.context(options), observed)
                    .thenApply(outcome -> result(map, key, change, outcome));
        });
    }

    private void requireNow(RequestId id) {
        long ahead = id.millis() - environment.currentTimeMillis();
        if (ahead > MOST_AHEAD_MILLIS) {
            throw new InvalidRequestException(
                    ErrorCode.VERSION_TOO_FAR_AHEAD,
                    "the request id begins at " + Instant.ofEpochMilli(id.millis()) + ", which is " + ahead
                            + " ms ahead of this node's clock, more than " + MOST_AHEAD_MILLIS);
        }
    }

    private static AtomicResult result(String map, Key key, AtomicChange change, RegisterReply.Outcome outcome) {
        Executed executed = outcome.executed();
        Register register = outcome.register();
        return switch (executed.outcome()) {
            case DONE, CREATED ->
                new AtomicResult(
                        true,
                        executed.outcome() == Executed.Outcome.CREATED,
                        change.kind() == AtomicChange.Kind.READ && !register.isPresent()
                                ? Register.NEVER_CHANGED
                                : executed.at(),
                        number(change, executed, register),
                        change.kind() == AtomicChange.Kind.READ ? RegisterView.of(register) : Optional.empty());
            case CONDITION_FAILED ->
                new AtomicResult(
                        false,
                        false,
                        register.isPresent() ? register.revision() : Register.NEVER_CHANGED,
                        number(change, executed, register),
                        RegisterView.of(register));
            case OTHER_KIND ->
                throw refusal(
                        ErrorCode.ATOMIC_KIND,
                        key,
                        map,
                        register.kind() == Register.Kind.COUNTER
                                ? "holds a counter: remove it before a value is put there"
                                : "holds a value, not a counter");
            case OVERFLOW ->
                throw refusal(
                        ErrorCode.COUNTER_OVERFLOW,
                        key,
                        map,
                        "holds " + executed.number() + ": adding " + change.number()
                                + " would leave the range of 64-bit numbers");
            case OTHER_CHANGE ->
                throw refusal(
                        ErrorCode.REQUEST_ID_REUSED,
                        key,
                        map,
                        "has executed another operation with this request id: each operation needs an id of its own");
        };
    }

    private static OptionalLong number(AtomicChange change, Executed executed, Register register) {
        return switch (change.kind()) {
            case ADD, COMPARE_AND_SET -> OptionalLong.of(executed.number());
            case READ ->
                register.kind() == Register.Kind.VALUE ? OptionalLong.empty() : OptionalLong.of(executed.number());
            case PUT, PUT_IF_ABSENT, REPLACE, REMOVE, REMOVE_VERSION, TOUCH -> OptionalLong.empty();
        };
    }

    private static DhtException refusal(ErrorCode code, Key key, String map, String why) {
        return new InvalidRequestException(code, "nothing done: key " + key + " of map " + map + " " + why);
    }
}
