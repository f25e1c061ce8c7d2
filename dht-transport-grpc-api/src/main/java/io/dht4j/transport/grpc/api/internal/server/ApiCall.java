package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.OverloadedException;
import io.dht4j.TraceContext;
import io.dht4j.security.Scope;
import io.dht4j.security.TokenGuard;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call in flight: receives the only message of its request, passes it to the method, and sends the method's answer.
 * The request arrives on an event loop, the answer from any thread. The first end takes effect; later ones do nothing.
 *
 * @param <A> the method's answer
 */
final class ApiCall<A> extends ServerCall.Listener<byte[]> {

    private static final Logger LOG = LoggerFactory.getLogger(ApiCall.class);

    /** The maximum time between the cluster's timeout and the client's deadline, so that the error arrives in time. */
    private static final long MAX_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * A method of the service.
     *
     * @param <A> its answer
     */
    @FunctionalInterface
    interface Method<A> {

        /** Begins to answer; an exception becomes the answer. */
        void begin(ApiCall<A> call, byte[] request) throws Exception;
    }

    private final ServerCall<byte[], A> call;
    private final ApiStream stream;
    private final Method<A> method;
    private final TokenGuard guard;
    private final List<String> authorization;
    private final Optional<Deadline> deadline;
    private final Optional<TraceContext> trace;

    // On the event loop only.
    private byte @Nullable [] request;

    private volatile Optional<Scope> scope = Optional.empty();
    private volatile int tokensSeen;
    private volatile Runnable onChange = () -> {};
    private volatile boolean over;
    // Guarded by this: a server call is for one thread at a time.
    private boolean headersSent;
    private boolean begun;

    ApiCall(
            ServerCall<byte[], A> call,
            ApiStream stream,
            Method<A> method,
            TokenGuard guard,
            List<String> authorization,
            Optional<Deadline> deadline,
            Optional<TraceContext> trace) {
        this.call = call;
        this.stream = stream;
        this.method = method;
        this.guard = guard;
        this.authorization = authorization;
        this.deadline = deadline;
        this.trace = trace;
    }

    /** Returns the stream that counts the bytes and timeouts of this call. */
    ApiStream stream() {
        return stream;
    }

    /**
     * Requires that the call's token allows a scope, from now on if the call lasts.
     *
     * @param needed empty if any known token is enough
     * @throws DhtException if the token does not allow it
     */
    void authorize(Optional<Scope> needed) {
        tokensSeen = guard.changes();
        requireToken(needed);
        scope = needed;
    }

    private void requireToken(Optional<Scope> needed) {
        if (needed.isPresent()) {
            guard.require(authorization, needed.get());
        } else {
            guard.requireAny(authorization);
        }
    }

    /**
     * Checks the token again if the tokens have changed since {@link #authorize}: the thread that ends calls after such
     * a change may have missed this one.
     */
    void listed() {
        if (guard.changes() != tokensSeen) {
            checkToken();
        }
    }

    /**
     * Ends the call if its token no longer allows it and it streams its answer or its request is still to come. Other
     * calls that have begun continue, because their outcome would be unknown. On any thread.
     */
    void checkToken() {
        if (over) {
            return;
        }
        try {
            requireToken(scope);
        } catch (DhtException e) {
            if (!call.getMethodDescriptor().getType().serverSendsOneMessage()) {
                fail(e);
                return;
            }
            synchronized (this) {
                if (!begun) {
                    fail(e);
                }
            }
        }
    }

    /** Returns options with the span of the client, and the time that it leaves for the answer. */
    CallOptions options() {
        CallOptions options =
                trace.map(CallOptions.defaults()::withTraceContext).orElse(CallOptions.defaults());
        if (deadline.isEmpty()) {
            return options;
        }
        long remaining = deadline.get().timeRemaining(TimeUnit.NANOSECONDS);
        long usable = remaining - Math.min(remaining / 10, MAX_MARGIN_NANOS);
        if (usable <= 0) {
            throw DhtException.of(ErrorCode.DEADLINE_PASSED, "the deadline passed before the work began");
        }
        return options.withTimeout(Duration.ofNanos(Math.min(usable, CallOptions.MAX_TIMEOUT.toNanos())));
    }

    @Override
    public void onMessage(byte[] message) {
        if (message == RequestBytes.NO_MEMORY) {
            fail(new OverloadedException("there is no memory for the request"));
            return;
        }
        // The library admits only one message.
        request = message;
    }

    @Override
    public void onHalfClose() {
        byte[] complete = request;
        request = null;
        synchronized (this) {
            if (begun || over) {
                return;
            }
            begun = true;
        }
        stream.received();
        if (complete == null) {
            fail(new InvalidRequestException(ErrorCode.BAD_REQUEST, "a request is one message, and none came"));
            return;
        }
        try {
            // Otherwise the end of this call would cancel all requests that the cluster sends over gRPC for it.
            Context.ROOT.call(() -> {
                method.begin(this, complete);
                return true;
            });
        } catch (Exception | Error e) {
            fail(e);
        }
    }

    /**
     * Waits for another thread that is answering. When this returns, the event loop may end, and a later message would
     * retain its buffer forever.
     */
    @Override
    public void onCancel() {
        synchronized (this) {
            over = true;
        }
        request = null;
        changed();
    }

    @Override
    public void onReady() {
        changed();
    }

    private void changed() {
        try {
            Context.ROOT.run(onChange);
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /** Calls an action whenever the client accepts more, or has disconnected. */
    void onChange(Runnable action) {
        onChange = action;
    }

    /** Returns whether the call has ended or the client has disconnected. */
    boolean isOver() {
        return over;
    }

    /** Returns whether the client takes messages now. */
    synchronized boolean isReady() {
        return !over && call.isReady();
    }

    /** Answers with the result of a stage. */
    <T> void await(Supplier<CompletionStage<T>> work, Consumer<? super T> answer) {
        work.get().whenComplete((result, error) -> {
            try {
                if (error == null) {
                    answer.accept(result);
                } else {
                    fail(error);
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        });
    }

    /**
     * Sends the only message and ends the call in one step. The library holds the message back until the end; without
     * an end its buffer would be lost.
     */
    synchronized void answer(A message) {
        send(message);
        complete();
    }

    /** Sends a message, unless the call is over. */
    synchronized void send(A message) {
        if (over) {
            return;
        }
        sendHeaders();
        call.sendMessage(message);
    }

    /** Ends the call. */
    synchronized void complete() {
        if (over) {
            return;
        }
        over = true;
        stream.waitsForClient();
        sendHeaders();
        call.close(Status.OK, new Metadata());
    }

    private void sendHeaders() {
        if (!headersSent) {
            headersSent = true;
            call.sendHeaders(stream.metadata());
        }
    }

    /** Ends the call with an error. */
    void fail(Throwable error) {
        Status status;
        Metadata trailers;
        try {
            StatusRuntimeException answer = ApiErrors.encode(known(error));
            status = answer.getStatus();
            trailers = stream.metadata();
            if (answer.getTrailers() != null) {
                trailers.merge(answer.getTrailers());
            }
        } catch (RuntimeException | Error e) {
            // No memory even for this answer.
            status = ApiErrors.preparedStatus();
            trailers = ApiErrors.preparedTrailers();
        }
        if (end(status, trailers)) {
            changed();
        }
    }

    private DhtException known(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        if (cause instanceof DhtException expected) {
            return expected;
        }
        String name = call.getMethodDescriptor().getFullMethodName();
        if (cause instanceof OutOfMemoryError) {
            // Any call may run out of memory: a stack trace would only show a victim.
            stream.failures().log(() -> name + " failed: " + cause);
        } else {
            LOG.error("{} failed in an unexpected way", name, cause);
        }
        return DhtException.of(ErrorCode.INTERNAL, "internal error: " + cause);
    }

    /** Ends the call, unless it is over. Returns whether it was not. */
    private synchronized boolean end(Status status, Metadata trailers) {
        if (over) {
            return false;
        }
        over = true;
        stream.waitsForClient();
        try {
            call.close(status, trailers);
        } catch (RuntimeException | Error e) {
            stream.cut("the call could not be answered");
            LOG.error("a call could not be answered", e);
        }
        return true;
    }

    void failSlowRequest(Duration timeout) {
        fail(new InvalidRequestException(ErrorCode.BAD_REQUEST, "the request did not arrive within " + timeout));
    }

    void failInterrupted() {
        fail(DhtException.of(ErrorCode.INTERNAL, "the node's gRPC API closed before the answer was known"));
    }
}
