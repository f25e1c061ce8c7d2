package io.dht4j.transport.http.internal.server;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.PrintableText;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.PeerAdmission;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.peer.PeerBody;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.server.HttpTransportCallers.Verdict;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peer endpoint: reads frames, passes them to the handler, and writes replies. It refuses malformed, too large and
 * too many requests before the handler, and marks these answers by a header. Safe for use by any number of threads.
 */
public final class HttpTransportServer implements Handler<HttpServerRequest> {

    private static final Logger LOG = LoggerFactory.getLogger(HttpTransportServer.class);
    private static final long MAX_DEADLINE_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int MAX_ERROR_TEXT = 200;

    /** HTTP/2's code for a stream that ends without an error. */
    private static final long NO_ERROR = 0;

    /** How long a peer may send the body of a refused request. */
    private static final Duration LINGER = Duration.ofSeconds(2);

    /** A refused body up to this size is read and dropped, so that the connection can continue. */
    private static final int SMALL_BODY = 64 * 1024;

    private final RateLimitedLog failures = new RateLimitedLog(LOG::warn);
    private final FrameHandler frames;
    private final int maxFrameBytes;
    private final PeerAdmission admission;
    private final HttpListener listener;
    private final boolean secure;
    private volatile Optional<HttpTransportCallers> callers = Optional.empty();

    /**
     * Creates an endpoint.
     *
     * @param listener has the own keys and certificates before the first connection is accepted, if the options require
     *     TLS
     */
    public HttpTransportServer(FrameHandler frames, Limits limits, HttpListener listener) {
        this.listener = listener;
        this.secure = listener.isSecure();
        this.frames = frames;
        this.maxFrameBytes = limits.maxFrameBytes();
        this.admission = new PeerAdmission(limits);
    }

    public int inFlight() {
        return admission.inFlight();
    }

    public long inFlightBytes() {
        return admission.inFlightBytes();
    }

    /**
     * Refuses further requests.
     *
     * @return completes when the last request in flight has been answered
     */
    public CompletableFuture<Void> drain() {
        return admission.drain();
    }

    @Override
    public void handle(HttpServerRequest request) {
        Verdict caller = secure ? verdict(request.connection()) : Verdict.ANYBODY;
        if (caller.refusal().isPresent()) {
            refuse(request, PeerProtocol.FORBIDDEN, caller.refusal().get(), Integer.MAX_VALUE);
            return;
        }
        if (!request.method().equals(HttpMethod.POST)) {
            request.response().putHeader(HttpHeaders.ALLOW, "POST");
            refuse(request, 405, "only POST is allowed", Integer.MAX_VALUE);
            return;
        }
        String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (declared == null && request.version() == HttpVersion.HTTP_2) {
            // Some clients omit it where it is 0. A body that arrives anyway is refused then.
            declared = "0";
        }
        if (declared == null || request.headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
            refuse(request, 411, "Content-Length is missing", Integer.MAX_VALUE);
            return;
        }
        int length = PeerBody.length(declared);
        if (length < 0) {
            refuse(request, 400, "Content-Length is not a whole number", Integer.MAX_VALUE);
            return;
        }
        if (length > maxFrameBytes) {
            refuse(request, 413, "a frame may have " + maxFrameBytes + " bytes, not " + declared, length);
            return;
        }
        long micros = deadlineMicros(request.getHeader(PeerProtocol.DEADLINE_HEADER));
        if (micros < 1) {
            String message = PeerProtocol.DEADLINE_HEADER + " must be 1 to " + MAX_DEADLINE_MICROS;
            refuse(request, 400, message, length);
            return;
        }
        String full = admission.enter(length);
        if (full != null) {
            boolean ends = admission.isDraining();
            refuse(request, ends ? 503 : PeerProtocol.NO_ROOM, full, ends ? Integer.MAX_VALUE : length);
            return;
        }
        Exchange exchange;
        try {
            exchange = new Exchange(request, length, TimeUnit.MICROSECONDS.toNanos(micros), caller.names());
        } catch (RuntimeException | Error e) {
            admission.leave(length);
            throw e;
        }
        try {
            exchange.begin();
        } catch (RuntimeException | Error e) {
            // The end of the connection may release it as well.
            exchange.abort();
            throw e;
        }
    }

    private Verdict verdict(HttpConnection connection) {
        if (callers.isEmpty()) {
            callers = listener.tls()
                    .map(own ->
                            new HttpTransportCallers(own, frames, listener.refusedCallers(), listener.connections()));
        }
        return callers.map(known -> known.verdict(connection)).orElseGet(() -> Verdict.refused("not ready"));
    }

    /** Returns the header's value, at most an hour, or -1. */
    private static long deadlineMicros(@Nullable String header) {
        if (header == null) {
            return -1;
        }
        try {
            return Math.min(Long.parseLong(header), MAX_DEADLINE_MICROS);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Answers a request that neither this endpoint nor the handler has seen. */
    static void refuse(HttpServerRequest request, HttpProblem problem) {
        String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        int length = declared == null ? Integer.MAX_VALUE : PeerBody.length(declared);
        refuse(request, problem, length < 0 ? Integer.MAX_VALUE : length);
    }

    /** Answers a request that the handler has not seen. */
    private static void refuse(HttpServerRequest request, int status, String message, int length) {
        refuse(request, HttpProblem.of(status, code(status), message), length);
    }

    private static void refuse(HttpServerRequest request, HttpProblem problem, int length) {
        boolean unread = length > SMALL_BODY;
        HttpServerResponse response = (unread ? HttpListener.closing(request) : request.response())
                .putHeader(PeerProtocol.OUTCOME_HEADER, PeerProtocol.NOT_SENT);
        Future<Void> sent = HttpListener.answer(response, problem);
        if (unread) {
            sent.onComplete(done -> hangUpAfterBody(request));
        }
    }

    private static ErrorCode code(int status) {
        return switch (status) {
            case PeerProtocol.FORBIDDEN -> ErrorCode.PERMISSION_DENIED;
            case 405 -> ErrorCode.METHOD_NOT_ALLOWED;
            case PeerProtocol.NO_ROOM -> ErrorCode.OVERLOADED;
            case 503 -> ErrorCode.NOT_SERVING;
            case 504 -> ErrorCode.DEADLINE_PASSED;
            default -> ErrorCode.BAD_REQUEST;
        };
    }

    /** Ends the source of the request's body: its stream, or the connection where there are none. */
    private static void hangUp(HttpServerRequest request) {
        if (request.version() == HttpVersion.HTTP_2) {
            request.response().reset(NO_ERROR);
        } else {
            request.connection().close();
        }
    }

    /**
     * Hangs up when the body has ended, or after a moment. A peer that still sends when its connection is closed may
     * lose the answer.
     */
    private static void hangUpAfterBody(HttpServerRequest request) {
        if (request.version() == HttpVersion.HTTP_2 || request.isEnded()) {
            hangUp(request);
            return;
        }
        Vertx vertx = Vertx.currentContext().owner();
        long timer = vertx.setTimer(LINGER.toMillis(), passed -> hangUp(request));
        request.exceptionHandler(gone -> vertx.cancelTimer(timer)).endHandler(ended -> {
            vertx.cancelTimer(timer);
            hangUp(request);
        });
    }

    /** One request and its reply. Everything except {@link #accept} runs on the connection's event loop. */
    private final class Exchange {

        private final HttpServerRequest request;
        private final HttpServerResponse response;
        private final PeerBody body;
        private final Thread thread = Thread.currentThread();
        private final Context loop = Vertx.currentContext();
        private final CallContext context;
        private long heldBytes;
        private boolean received;
        private boolean lacksMemory;
        private boolean released;
        private @Nullable Long bodyTimer;

        Exchange(HttpServerRequest request, int length, long remainingNanos, Set<String> callerNames) {
            this.request = request;
            this.response = request.response();
            this.body = new PeerBody(length);
            this.heldBytes = length;
            this.context = new CallContext(System::nanoTime, remainingNanos, callerNames, admission.replyRoom());
        }

        void begin() {
            response.exceptionHandler(e -> LOG.debug("writing a reply failed", e));
            response.closeHandler(gone -> abort());
            request.exceptionHandler(e -> abort());
            request.handler(this::add);
            request.endHandler(end -> dispatch());
            // Most bodies have come with their heads, and need no timer.
            loop.runOnContext(later -> limitTime());
        }

        private void add(Buffer chunk) {
            if (released || lacksMemory) {
                return;
            }
            try {
                body.add(chunk);
            } catch (OutOfMemoryError e) {
                // The rest is read and dropped: a caller that still writes would lose the answer with the connection.
                lacksMemory = true;
                body.take();
                failures.log(() -> "no memory for a frame from " + request.remoteAddress());
            }
        }

        private void limitTime() {
            if (!received && !released) {
                // A slow or missing body must not hold its place for longer than its caller waits.
                long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(context.remainingNanos()));
                bodyTimer = loop.owner().setTimer(millis, late -> {
                    if (!received) {
                        hangUp(request);
                    }
                });
            }
        }

        private void dispatch() {
            received = true;
            stopBodyTimer();
            if (released) {
                return;
            }
            if (lacksMemory) {
                endUnseen(PeerProtocol.NO_ROOM, "no memory for the frame");
                return;
            }
            if (!body.isComplete()) {
                endUnseen(400, "the body is not as long as Content-Length says");
                return;
            }
            listener.connections().provePeer(request.connection());
            if (context.isExpired()) {
                endUnseen(504, "the deadline passed before the request was complete");
                return;
            }
            try {
                CompletionStage<byte[]> reply = frames.handle(body.take(), context);
                reply.whenComplete(this::accept);
            } catch (Throwable e) {
                accept(null, e);
            }
        }

        /** Takes the reply, on any thread. */
        private void accept(byte @Nullable [] reply, @Nullable Throwable error) {
            if (Thread.currentThread() == thread) {
                answer(reply, error);
                return;
            }
            try {
                loop.runOnContext(now -> answer(reply, error));
            } catch (RejectedExecutionException e) {
                LOG.debug("a reply came after the transport was closed");
            }
        }

        private void answer(byte @Nullable [] reply, @Nullable Throwable error) {
            if (released) {
                return;
            }
            if (error != null || reply == null) {
                Throwable cause = error == null ? new IllegalStateException("no reply") : DhtException.unwrap(error);
                if (cause instanceof OutOfMemoryError) {
                    failures.log(() -> "no memory to answer a frame from " + request.remoteAddress());
                } else {
                    LOG.warn("answering a frame from {} failed", request.remoteAddress(), cause);
                }
                String text = PrintableText.of(cause);
                end(HttpProblem.of(ErrorCode.INTERNAL, text.substring(0, Math.min(text.length(), MAX_ERROR_TEXT))));
            } else if (reply.length > maxFrameBytes) {
                LOG.warn("a reply of {} bytes is over the limit of {}", reply.length, maxFrameBytes);
                end(HttpProblem.of(ErrorCode.INTERNAL, "the reply of " + reply.length + " bytes is over the limit"));
            } else {
                admission.grow(reply.length);
                heldBytes += reply.length;
                Buffer frame = PeerBody.buffer(reply);
                response.setStatusCode(200)
                        .putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(frame.length()))
                        .end(frame)
                        .onComplete(this::written);
            }
        }

        /** Refuses the request, which the handler has not seen. */
        private void endUnseen(int status, String message) {
            response.putHeader(PeerProtocol.OUTCOME_HEADER, PeerProtocol.NOT_SENT);
            end(HttpProblem.of(status, code(status), message));
        }

        private void end(HttpProblem problem) {
            HttpListener.answer(response, problem).onComplete(this::written);
        }

        private void written(AsyncResult<Void> sent) {
            release();
            if (sent.failed()) {
                // The caller would wait for the rest until its deadline.
                hangUp(request);
            }
        }

        /** Handles a disconnected caller. */
        private void abort() {
            if (!released) {
                release();
                context.cancel();
            }
        }

        private void release() {
            if (!released) {
                released = true;
                stopBodyTimer();
                admission.leave(heldBytes);
            }
        }

        private void stopBodyTimer() {
            if (bodyTimer != null) {
                loop.owner().cancelTimer(bodyTimer);
                bodyTimer = null;
            }
        }
    }
}
