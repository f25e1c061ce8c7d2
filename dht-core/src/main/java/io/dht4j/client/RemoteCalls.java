package io.dht4j.client;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.RetryBudget;
import io.dht4j.core.internal.atomic.AtomicOptions;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.core.internal.observation.Tracing;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts the calls of a remote cluster: refuses those over the bound on calls in flight, gives each its deadline and
 * the order of the nodes to try, and reports its end. Safe for use by any number of threads; nothing blocks.
 */
final class RemoteCalls {

    private final Environment environment;
    private final RemoteTargets targets;
    private final RetryBudget budget;
    private final Duration timeout;
    private final Admission admission;
    private final Observations observations;
    private final BooleanSupplier isApiClosed;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Creates an instance without calls.
     *
     * @param isApiClosed returns whether the API refuses all calls
     */
    RemoteCalls(
            Environment environment,
            RemoteTargets targets,
            RetryBudget budget,
            RemoteOptions options,
            BooleanSupplier isApiClosed) {
        this.isApiClosed = isApiClosed;
        this.environment = environment;
        this.targets = targets;
        this.budget = budget;
        this.timeout = options.timeout();
        this.admission = Admission.ofCalls(options.maxInFlight(), Long.MAX_VALUE, environment);
        this.observations = new Observations(
                options.observer(),
                Optional.empty(),
                options.tracer().map(tracer -> new Tracing(tracer, null, environment)),
                environment);
    }

    /** Starts a call about the cluster itself, which accepts no time to live and is not observed. */
    <T> CompletionStage<T> start(RemoteCall.Kind kind, CallOptions call, RemoteCall.Try<T> request) {
        return start(null, kind, List.of(), call, request);
    }

    /** Starts a call that accepts no time to live. */
    <T> CompletionStage<T> start(
            Observer.Call what, RemoteCall.Kind kind, CallOptions call, RemoteCall.Try<T> request) {
        return start(observations.begin(what, 0, call), kind, List.of(), call, request);
    }

    /** Starts a read of a number of keys. */
    <T> CompletionStage<T> startReads(Observer.Call what, int keys, CallOptions call, RemoteCall.Try<T> request) {
        return start(observations.begin(what, keys, call), RemoteCall.Kind.READ, List.of(), call, request);
    }

    /**
     * Starts a call that accepts no time to live.
     *
     * @param only the node to try
     */
    <T> CompletionStage<T> startAt(
            RemoteTargets.Target only, Observer.Call what, CallOptions call, RemoteCall.Try<T> request) {
        return start(observations.begin(what, 0, call), RemoteCall.Kind.PINNED, List.of(only), call, request);
    }

    /** Starts a write of a number of keys, which accepts a time to live. */
    <T> CompletionStage<T> startPut(Observer.Call what, int keys, CallOptions call, RemoteCall.Try<T> request) {
        ObservedCall observed = observations.begin(what, keys, call);
        return checked(
                observed,
                () -> AtomicOptions.refuseRequestId(call),
                () -> admitted(observed, RemoteCall.Kind.WRITE, List.of(), call, request));
    }

    /** Starts an operation on an atomic key; with an id, it may be tried at several nodes. */
    <T> CompletionStage<T> startAtomic(
            Observer.Call what, RemoteCall.Kind kind, CallOptions call, RemoteCall.Try<T> request) {
        ObservedCall observed = observations.begin(what, 1, call);
        return checked(
                observed, () -> AtomicOptions.require(call), () -> admitted(observed, kind, List.of(), call, request));
    }

    /** Returns the time limit of a call. */
    Duration timeout(CallOptions call) {
        return call.timeout().orElse(timeout);
    }

    private <T> CompletionStage<T> start(
            @Nullable ObservedCall observed,
            RemoteCall.Kind kind,
            List<RemoteTargets.Target> only,
            CallOptions call,
            RemoteCall.Try<T> request) {
        return checked(
                observed,
                () -> {
                    AtomicOptions.refuseRequestId(call);
                    if (call.timeToLive().isPresent()) {
                        throw new InvalidRequestException(
                                ErrorCode.TTL_INVALID, "a time to live is for put and putAll only");
                    }
                },
                () -> admitted(observed, kind, only, call, request));
    }

    /** Starts a call unless its options are refused. */
    private <T> CompletionStage<T> checked(
            @Nullable ObservedCall observed, Runnable check, Supplier<CompletionStage<T>> start) {
        try {
            check.run();
        } catch (InvalidRequestException e) {
            return failed(observed, e);
        }
        return start.get();
    }

    private static <T> CompletionStage<T> failed(@Nullable ObservedCall observed, DhtException failure) {
        if (observed != null) {
            observed.ended(failure);
        }
        return CompletableFuture.failedFuture(failure);
    }

    private <T> CompletionStage<T> admitted(
            @Nullable ObservedCall observed,
            RemoteCall.Kind kind,
            List<RemoteTargets.Target> only,
            CallOptions options,
            RemoteCall.Try<T> request) {
        TracedSpan span = observed == null ? null : observed.span();
        CallOptions call = span == null || span.context() == null ? options : options.withTraceContext(span.context());
        return admission.run(observed, () -> {
            try {
                return RemoteCall.start(
                        environment,
                        () -> closed.get() || isApiClosed.getAsBoolean(),
                        budget,
                        kind,
                        only.isEmpty() ? targets.inOrder() : only,
                        call,
                        call.timeout().orElse(timeout),
                        span == null ? request : addressed(span, request));
            } catch (RuntimeException e) {
                // The timers have ended because the client was closed meanwhile.
                throw new UnavailableException(ErrorCode.NOT_SERVING, RemoteCall.CLOSED + ": " + e);
            } catch (Error e) {
                // Mostly a lack of memory. It ends this call only.
                throw DhtException.of(ErrorCode.INTERNAL, "the call failed in an unexpected way: " + e);
            }
        });
    }

    /** Returns a request that records on its span which node it tries. */
    private static <T> RemoteCall.Try<T> addressed(TracedSpan span, RemoteCall.Try<T> request) {
        return (address, options) -> {
            span.serverAddress(address);
            return request.at(address, options);
        };
    }

    boolean isClosed() {
        return closed.get();
    }

    /**
     * Refuses later calls, and further tries of those in flight.
     *
     * @return completes when none is in flight; empty if this was called before
     */
    Optional<CompletableFuture<Void>> close() {
        return closed.compareAndSet(false, true) ? Optional.of(admission.close(RemoteCall.CLOSED)) : Optional.empty();
    }
}
