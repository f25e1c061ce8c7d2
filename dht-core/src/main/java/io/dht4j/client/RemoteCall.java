package io.dht4j.client;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.ErrorCode.Action;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A remote call: tries one node after another within one deadline, as long as the failures allow another try. The tries
 * are sequential; the deadline may end the call at any time.
 *
 * @param <T> the result
 */
final class RemoteCall<T> {

    /** The kind of call, which determines the failures that allow another try. */
    enum Kind {
        /** The call changes nothing and may be repeated after any failure. */
        READ,
        /** The call may change something, and may be repeated after any failure. */
        REPEATABLE,
        /** The call may be repeated only if the failure guarantees that nothing has changed. */
        WRITE,
        /** The call reads from one node and is never sent to another. */
        PINNED,
        /** The call looks for any node that answers, and continues after any failure. */
        SEARCH
    }

    /** A request to one node. */
    @FunctionalInterface
    interface Try<T> {
        CompletionStage<T> at(String address, CallOptions options);
    }

    /** An API measures the timeout of a try in milliseconds, and ends it a little before or after. */
    private static final long TIMEOUT_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final String MAY_TAKE_EFFECT = "; the write may take effect or not";

    /** The message of a closed client. */
    static final String CLOSED = "this client is closed";

    private final Environment environment;
    private final BooleanSupplier closed;
    private final RetryBudget budget;
    private final Kind kind;
    private final CallOptions options;
    private final Try<T> request;
    private final List<RemoteTargets.Target> targets;
    private final long deadline;
    private final List<String> failures = new ArrayList<>();
    /** Whether another try could succeed after one of the failures. */
    private boolean mayPass;
    /** Whether the outcome of one of the tries is unknown. */
    private boolean mayBeDone;

    /** When the node was asked that has not answered yet. Written before {@link #asked}. */
    private long askedNanos;

    private volatile RemoteTargets.@Nullable Target asked;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private RemoteCall(
            Environment environment,
            BooleanSupplier closed,
            RetryBudget budget,
            Kind kind,
            List<RemoteTargets.Target> targets,
            CallOptions options,
            Duration timeout,
            Try<T> request) {
        this.environment = environment;
        this.closed = closed;
        this.budget = budget;
        this.kind = kind;
        this.targets = targets;
        this.options = options;
        this.request = request;
        this.deadline = environment.nanoTime() + timeout.toNanos();
    }

    /**
     * Starts a call.
     *
     * @param closed returns whether further tries are forbidden
     * @param budget the budget of all tries but the first
     * @param targets the nodes to try, in this order
     * @param timeout the time limit of all tries together
     */
    static <T> CompletableFuture<T> start(
            Environment environment,
            BooleanSupplier closed,
            RetryBudget budget,
            Kind kind,
            List<RemoteTargets.Target> targets,
            CallOptions options,
            Duration timeout,
            Try<T> request) {
        RemoteCall<T> call = new RemoteCall<>(environment, closed, budget, kind, targets, options, timeout, request);
        // The API ends each try in time; this timer covers an API that does not.
        Environment.Timer timer = environment.schedule(call::expire, timeout.toNanos());
        call.result.whenComplete((value, error) -> timer.cancel());
        budget.asked();
        call.attempt(0, null);
        return call.result;
    }

    private void attempt(int index, @Nullable DhtException last) {
        long remaining = deadline - environment.nanoTime();
        boolean isClosed = closed.getAsBoolean();
        if (isClosed && last == null) {
            result.completeExceptionally(DhtException.of(ErrorCode.NOT_SERVING, CLOSED));
            return;
        }
        if (index == targets.size() || remaining <= 0 || isClosed) {
            end(
                    last == null
                            ? DhtException.of(ErrorCode.DEADLINE_PASSED, "the deadline passed before a node was asked")
                            : last);
            return;
        }
        RemoteTargets.Target target = targets.get(index);
        askedNanos = environment.nanoTime();
        asked = target;
        boolean more = index + 1 < targets.size();
        // Unless it is never repeated, it reserves time to ask another node if this one does not answer.
        long share = more && kind != Kind.WRITE ? Math.max(1, remaining / 2) : remaining;
        CompletionStage<T> reply;
        try {
            reply = request.at(target.address, options.withTimeout(Duration.ofNanos(share)));
        } catch (RuntimeException | Error e) {
            // The API violated its contract, or memory ran out in it, so the outcome is unknown.
            reply = CompletableFuture.failedFuture(e);
        }
        reply.whenComplete((value, error) -> {
            if (error == null) {
                target.answered();
                result.complete(value);
            } else {
                DhtException failure = asDhtException(DhtException.unwrap(error));
                failed(index, target, closed.getAsBoolean() ? ofClosed(failure) : afterTry(failure, share));
            }
        });
    }

    /** Returns the failure of a try, perhaps of one that a node has left without an answer for its whole time. */
    private DhtException afterTry(DhtException failure, long share) {
        boolean late = environment.nanoTime() - askedNanos >= share - TIMEOUT_SLACK_NANOS;
        return late && failure.code().action() == Action.REPEAT_ONLY_THIS ? unanswered(failure) : failure;
    }

    /** Returns the failure of a try that closing this client may have ended. */
    private DhtException ofClosed(DhtException failure) {
        return switch (failure.code().action()) {
            case FIX_REQUEST -> failure;
            case RETRY_ANYWHERE, BACK_OFF -> DhtException.of(ErrorCode.NOT_SERVING, CLOSED);
            case REPEAT_ONLY_THIS ->
                isRead()
                        ? DhtException.of(ErrorCode.NOT_SERVING, CLOSED)
                        : DhtException.of(ErrorCode.NO_REPLY, kind == Kind.WRITE ? CLOSED + MAY_TAKE_EFFECT : CLOSED);
        };
    }

    /** A read without an answer changes nothing; a write may. */
    private DhtException unanswered(DhtException failure) {
        String message = String.valueOf(failure.getMessage());
        if (isRead()) {
            return DhtException.of(ErrorCode.DEADLINE_PASSED, message);
        }
        return failure.code() == ErrorCode.INTERNAL
                ? DhtException.of(ErrorCode.NO_REPLY, kind == Kind.WRITE ? message + MAY_TAKE_EFFECT : message)
                : failure;
    }

    private boolean isRead() {
        return kind != Kind.WRITE && kind != Kind.REPEATABLE;
    }

    private static DhtException asDhtException(Throwable error) {
        return error instanceof DhtException known
                ? known
                : DhtException.of(ErrorCode.INTERNAL, "the remote API failed in an unexpected way: " + error);
    }

    private void failed(int index, RemoteTargets.Target target, DhtException failure) {
        if (kind == Kind.REPEATABLE && failure.code() == ErrorCode.REQUEST_FORGOTTEN) {
            // The node has answered, and the others would answer the same.
            target.answered();
            end(failure);
            return;
        }
        synchronized (failures) {
            String message = String.valueOf(failure.getMessage());
            failures.add(message.contains(target.address) ? message : target.address + ": " + message);
            mayPass |= failure.code().action() != Action.FIX_REQUEST;
            mayBeDone |= failure.code().action() == Action.REPEAT_ONLY_THIS;
            asked = null;
        }
        Action action = failure.code().action();
        boolean movesOn = switch (kind) {
            case READ, REPEATABLE -> action == Action.RETRY_ANYWHERE || action == Action.REPEAT_ONLY_THIS;
            case WRITE -> action == Action.RETRY_ANYWHERE;
            case PINNED -> false;
            case SEARCH -> true;
        };
        if (action == Action.RETRY_ANYWHERE || action == Action.REPEAT_ONLY_THIS) {
            target.failed();
        }
        boolean more = index + 1 < targets.size();
        if (movesOn && (!more || kind == Kind.SEARCH || budget.mayRetry())) {
            attempt(index + 1, failure);
        } else {
            end(failure);
        }
    }

    private void end(DhtException last) {
        List<String> messages;
        boolean refused;
        synchronized (failures) {
            messages = List.copyOf(failures);
            refused = !mayPass && last.code().action() == Action.FIX_REQUEST;
        }
        if (kind == Kind.SEARCH) {
            String all = String.join("; ", messages);
            result.completeExceptionally(
                    refused
                            ? DhtException.of(last.code(), "every node refused this client: " + all)
                            : DhtException.of(ErrorCode.NOT_SERVING, "no node answered: " + all));
        } else if (isUnknown() && !isFinal(last.code())) {
            List<String> all = new ArrayList<>(messages);
            if (!all.contains(String.valueOf(last.getMessage()))) {
                all.add(String.valueOf(last.getMessage()));
            }
            result.completeExceptionally(DhtException.of(ErrorCode.NO_REPLY, String.join("; ", all)));
        } else if (messages.size() < 2) {
            result.completeExceptionally(last);
        } else {
            result.completeExceptionally(last.withMessage(String.join("; ", messages)));
        }
    }

    /** Returns whether a call that is to be done once may be done by one of the tries. */
    private boolean isUnknown() {
        synchronized (failures) {
            return kind == Kind.REPEATABLE && mayBeDone;
        }
    }

    /**
     * Returns whether a node that says so knows that no try has executed the call, or leaves it as unknown as it is.
     */
    private static boolean isFinal(ErrorCode code) {
        return switch (code) {
            case ATOMIC_KIND, COUNTER_OVERFLOW, REQUEST_ID_REUSED -> true;
            default -> code.action() == Action.REPEAT_ONLY_THIS && code != ErrorCode.REQUEST_FORGOTTEN;
        };
    }

    private void expire() {
        if (!result.isDone()) {
            RemoteTargets.Target silent = asked;
            String message = "no node answered before the deadline";
            if (silent != null) {
                long millis = Math.round((environment.nanoTime() - askedNanos) / 1e6);
                message = silent.address + ": no answer within " + millis + " ms";
            }
            DhtException failure = unanswered(DhtException.of(ErrorCode.INTERNAL, message));
            if (silent != null) {
                synchronized (failures) {
                    failures.add(String.valueOf(failure.getMessage()));
                }
            }
            end(failure);
        }
    }
}
