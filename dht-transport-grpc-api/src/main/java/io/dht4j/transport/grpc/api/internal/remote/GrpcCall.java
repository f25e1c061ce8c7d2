package io.dht4j.transport.grpc.api.internal.remote;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.transport.grpc.api.internal.common.ApiProtocol;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call to a node: one request, and the messages of the answer one by one. It records whether any byte may have been
 * sent.
 *
 * @param <Q> the request
 * @param <A> a message of the answer
 * @param <R> the caller's result
 */
final class GrpcCall<Q, A, R> extends ClientCall.Listener<A> {

    private static final int ATTEMPTS = 3;

    /** The library's text on both sides; it gives no other sign. */
    private static final String MESSAGE_TOO_LARGE = "exceeds maximum size";

    /**
     * The library's text for a call that it has not begun to write. With another text such a call counts as of unknown
     * outcome.
     */
    private static final String CONNECTION_REFUSES = "GOAWAY shut down transport";

    /** Far less than the silence after which a connection counts as dead. */
    private static final Duration REFUSED_WITHIN = Duration.ofSeconds(5);

    /**
     * Builds a result from the messages of an answer.
     *
     * @param <A> a message of the answer
     * @param <R> the result
     */
    interface Collector<A, R> {

        /** Takes a message. Returns whether more may come. */
        boolean take(A message);

        /** Returns the result when the answer is complete. */
        R result();
    }

    private final String address;
    private final RemoteLink link;
    private final ErrorCode ifTooLarge;
    private final Collector<A, R> collector;
    private final Runnable stopping;
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private final Tracer tracer;
    private final long begun = System.nanoTime();
    private volatile @Nullable ClientCall<Q, A> call;
    private volatile boolean starting = true;
    private volatile boolean judgedByAnEarlierAttempt;
    // On the connection's event loop only.
    private boolean enough;
    private @Nullable RuntimeException unreadable;

    private GrpcCall(
            String address, RemoteLink link, ErrorCode ifTooLarge, Collector<A, R> collector, Runnable stopping) {
        this.address = address;
        this.link = link;
        this.tracer = new Tracer(link);
        this.ifTooLarge = ifTooLarge;
        this.collector = collector;
        this.stopping = stopping;
    }

    /** Observes the progress of the request, and whether any answer arrives. */
    private static final class Tracer extends ClientStreamTracer.Factory {

        private final RemoteLink link;
        private volatile boolean hasConnection;
        private volatile boolean headersHaveLeft;

        Tracer(RemoteLink link) {
            this.link = link;
        }

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void streamCreated(io.grpc.Attributes transport, Metadata metadata) {
                    hasConnection = true;
                }

                @Override
                public void outboundHeaders() {
                    hasConnection = true;
                    headersHaveLeft = true;
                }

                @Override
                public void inboundHeaders() {
                    link.heard();
                }

                @Override
                public void inboundWireSize(long bytes) {
                    link.heard();
                }

                @Override
                public void inboundTrailers(Metadata trailers) {
                    link.heard();
                }
            };
        }
    }

    /**
     * Returns whether a server may have the request of this ended call. A connection on which the server has sent
     * GOAWAY refuses a call that was given to it just before. All other ends, such as a passed deadline, may come while
     * the headers are about to leave. So may the end of this client or of a dead connection, after which the library
     * uses the same text for a call that it was writing.
     */
    private boolean mayBeSent(Status end) {
        boolean refused = end.getCode() == Status.Code.UNAVAILABLE
                && end.getDescription() != null
                && end.getDescription().startsWith(CONNECTION_REFUSES)
                && !link.channel().isShutdown()
                && System.nanoTime() - begun < REFUSED_WITHIN.toNanos();
        return refused ? tracer.headersHaveLeft : tracer.hasConnection;
    }

    /**
     * Sends a request. A channel notifies its calls of a failed connection attempt before it updates its own state.
     * Calls that begin in between would get the result of that attempt, however old it is. Such a call begins again,
     * after the channel's current work.
     *
     * @param links gives the channel, ready to connect again if its last attempt failed
     * @param headers makes the metadata of each attempt
     * @param stopping runs when the answer says that the node is about to stop
     * @param again runs a call that begins again, on other threads and after their current work
     * @param ifTooLarge the error if a message is larger than either side takes
     */
    static <Q, A, R> CompletableFuture<R> start(
            Supplier<RemoteLink> links,
            String address,
            MethodDescriptor<Q, A> method,
            Q request,
            Duration timeout,
            Supplier<Metadata> headers,
            ErrorCode ifTooLarge,
            Collector<A, R> collector,
            Runnable stopping,
            Executor again) {
        return settle(
                () -> begin(links.get(), address, method, request, timeout, headers, ifTooLarge, collector, stopping),
                again,
                ATTEMPTS);
    }

    private static <R> CompletableFuture<R> settle(
            Supplier<? extends GrpcCall<?, ?, R>> calls, Executor again, int left) {
        GrpcCall<?, ?, R> begun = calls.get();
        return left > 1 && begun.judgedByAnEarlierAttempt
                ? CompletableFuture.supplyAsync(() -> settle(calls, again, left - 1), again)
                        .thenCompose(Function.identity())
                : begun.result;
    }

    private static <Q, A, R> GrpcCall<Q, A, R> begin(
            RemoteLink link,
            String address,
            MethodDescriptor<Q, A> method,
            Q request,
            Duration timeout,
            Supplier<Metadata> headers,
            ErrorCode ifTooLarge,
            Collector<A, R> collector,
            Runnable stopping) {
        GrpcCall<Q, A, R> started = new GrpcCall<>(address, link, ifTooLarge, collector, stopping);
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .withStreamTracerFactory(started.tracer);
        // Otherwise a caller that serves a gRPC call itself would end this one with that one.
        Context.ROOT.run(() -> {
            ClientCall<Q, A> call = link.channel().newCall(method, options);
            started.call = call;
            try {
                call.start(started, headers.get());
                call.request(2);
                call.sendMessage(request);
                call.halfClose();
            } catch (RuntimeException e) {
                call.cancel("the request could not be sent", e);
                // A channel that goes idle between two looks of newCall at it returns a call that throws, and never
                // reports its end.
                started.failWithoutDetails(Status.UNAVAILABLE
                        .withDescription("the call could not begin")
                        .withCause(e));
            }
        });
        started.starting = false;
        started.judgedByAnEarlierAttempt &= !link.channel().isShutdown() || link.isReplaced();
        return started;
    }

    @Override
    public void onHeaders(Metadata headers) {
        look(headers);
    }

    private void look(Metadata metadata) {
        if (metadata.containsKey(ApiProtocol.STOPPING)) {
            stopping.run();
        }
    }

    @Override
    public void onMessage(A message) {
        ClientCall<Q, A> running = call;
        if (running == null) {
            throw new IllegalStateException("an answer before the question");
        }
        if (enough) {
            // More messages than requested.
            running.cancel("enough", null);
            return;
        }
        try {
            enough = !collector.take(message);
        } catch (RuntimeException e) {
            unreadable = e;
            running.cancel("the answer is not what it should be", e);
            return;
        }
        running.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        look(trailers);
        if (unreadable != null) {
            fail(ErrorCode.INTERNAL, "its answer is not what it should be: " + unreadable.getMessage());
        } else if (status.isOk() || enough) {
            try {
                result.complete(collector.result());
            } catch (RuntimeException e) {
                fail(ErrorCode.INTERNAL, "its answer is not what it should be: " + e.getMessage());
            }
        } else {
            ApiErrors.decode(status, trailers)
                    .ifPresentOrElse(result::completeExceptionally, () -> failWithoutDetails(status));
        }
    }

    private void failWithoutDetails(Status status) {
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED && tracer.hasConnection) {
            link.deadlinePassed(begun);
        }
        String text = isOfOtherProtocol(status) || isWithoutGrpc(status)
                ? "it does not speak gRPC; is this an HTTP port?"
                : isClosedAtOnce(status)
                        ? "it closed the connection before an answer; does it speak gRPC, and TLS as this client does?"
                        : status.getCode() + ": " + describe(status);
        if (!mayBeSent(status)) {
            // An attempt of its own takes longer than the start of the call.
            judgedByAnEarlierAttempt = starting && status.getCode() == Status.Code.UNAVAILABLE;
            fail(
                    ErrorCode.NOT_SENT,
                    Optional.ofNullable(status.getCause())
                            .flatMap(ConnectFailure::inWords)
                            .orElseGet(() -> "nothing was sent: " + text));
        } else if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED && text.contains(MESSAGE_TOO_LARGE)) {
            fail(ifTooLarge, text);
        } else {
            fail(ErrorCode.INTERNAL, "outcome unknown: " + text);
        }
    }

    /** Returns whether HTTP/2 has not even begun; the message would then show the received bytes. */
    private static boolean isOfOtherProtocol(Status status) {
        Throwable cause = status.getCause();
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof Http2Exception
                    && String.valueOf(cause.getMessage()).contains("not SETTINGS")) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Returns whether the answer is one of HTTP/2 without gRPC; the message would then show headers and body. */
    private static boolean isWithoutGrpc(Status status) {
        return String.valueOf(status.getDescription()).contains("invalid content-type: application/problem+json");
    }

    /** Returns whether the connection was closed before HTTP/2 had begun, in the words of gRPC-java's Netty. */
    private static boolean isClosedAtOnce(Status status) {
        return String.valueOf(status.getDescription()).contains("Network closed for unknown reason");
    }

    private static String describe(Status status) {
        Throwable cause = status.getCause();
        return status.getDescription() + (cause == null ? "" : " (" + ConnectFailure.message(cause) + ")");
    }

    private void fail(ErrorCode code, String message) {
        result.completeExceptionally(DhtException.of(code, "node at " + address + ": " + message));
    }
}
