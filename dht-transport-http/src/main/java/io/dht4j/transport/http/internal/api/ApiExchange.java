package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.security.Scope;
import io.dht4j.security.TokenGuard;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import io.dht4j.transport.common.options.PublicApiOptions.Patience;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.server.HttpConnections;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.StreamResetException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its only answer. It keeps the connection's framing intact after any part of the body. It returns the
 * reservations of the request when no work for it is left and at most a slice of its answer is unsent.
 *
 * <p>All fields belong to the request's event loop. All methods except {@link #later} must be called there.
 */
final class ApiExchange {

    /** The code of RFC 9113 for a stream that is no longer needed. */
    private static final long HTTP2_CANCEL = 8;

    private static final Logger LOG = LoggerFactory.getLogger(ApiExchange.class);

    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final ExchangeTimer timer;
    private final Context context;
    private final Limits limits;
    private final Patience patience;
    private final InFlightLease share;
    private final ClientErrors failures;
    private final boolean isHttp2;
    private final boolean isHead;
    private final AnnouncedBody body;
    private boolean answered;
    private boolean gone;
    private boolean cut;
    private boolean wasReset;
    private Runnable whenGone = () -> {};
    /** Null where the API has no tokens. */
    private @Nullable TokenCheck token;

    /**
     * Begins an exchange.
     *
     * @param connections those of the port
     */
    ApiExchange(
            HttpServerRequest request,
            Vertx vertx,
            Limits limits,
            Patience patience,
            RequestAdmission admission,
            HttpConnections connections) {
        this.request = request;
        this.response = request.response();
        this.timer = new ExchangeTimer(vertx);
        this.context = vertx.getOrCreateContext();
        this.limits = limits;
        this.patience = patience;
        this.share = new InFlightLease(this, admission, connections);
        this.failures = admission.failedRequests();
        this.isHttp2 = request.version() == HttpVersion.HTTP_2;
        this.isHead = request.method().equals(HttpMethod.HEAD);
        this.body = new AnnouncedBody(request);
        request.exceptionHandler(e -> {
            noteReset(e);
            clientGone();
        });
        response.exceptionHandler(e -> {
            noteReset(e);
            LOG.debug("answering {} failed", request.remoteAddress(), e);
        });
        response.closeHandler(closed -> clientGone());
    }

    HttpServerRequest request() {
        return request;
    }

    /** Returns the places and bytes that the request holds. */
    InFlightLease share() {
        return share;
    }

    HttpServerResponse response() {
        return response;
    }

    Limits limits() {
        return limits;
    }

    /** Returns how long the API waits for its client. */
    Patience patience() {
        return patience;
    }

    boolean isHttp2() {
        return isHttp2;
    }

    /** Returns whether the answer is sent without its body. */
    boolean isHead() {
        return isHead;
    }

    /** Returns the announcement of the body in the head. */
    AnnouncedBody body() {
        return body;
    }

    /** Returns whether sending is no longer possible. */
    boolean isCutOrGone() {
        return cut || gone;
    }

    /** Returns whether an answer was given or begun, or can no longer be given. */
    boolean isOver() {
        return answered || gone;
    }

    /** Sets the action to run, once, if the client goes before it has its whole answer. */
    void whenGone(Runnable action) {
        whenGone = action;
    }

    /** Returns the values of the request's header {@code Authorization}. */
    List<String> authorization() {
        return request.headers().getAll(HttpHeaders.AUTHORIZATION);
    }

    /**
     * Continues only for a client whose token allows this scope, now and whenever the tokens change.
     *
     * @throws DhtException if it does not
     */
    void require(TokenGuard guard, Scope scope) {
        if (guard.hasTokens()) {
            token = TokenCheck.passed(guard, authorization(), scope);
        }
    }

    /**
     * Sets the action to run if the client's token is revoked; an empty one if the answer is about to be sent anyway.
     */
    void whenRevoked(Consumer<DhtException> action) {
        if (token != null) {
            token.whenRevoked(action);
        }
    }

    /** Checks whether the client's token is still valid. */
    void recheckToken() {
        if (token != null && !isCutOrGone()) {
            token.recheck();
        }
    }

    /** Runs an action after a time, unless another timer is started, this one is stopped or the exchange ends. */
    void startTimer(Duration delay, Runnable action) {
        timer.start(delay, action);
    }

    void stopTimer() {
        timer.stop();
    }

    /**
     * Starts a call and continues with its outcome on this event loop: a failure is answered, a result is passed on.
     *
     * @param call what to start
     * @param then answers
     */
    <T> void await(Supplier<CompletionStage<T>> call, Consumer<T> then) {
        await(call, result -> 0, then);
    }

    /**
     * Does the same as {@link #await(Supplier, Consumer)} for a result with values, whose bytes count from the moment
     * of its arrival.
     *
     * @param bytes how many there are
     */
    <T> void await(Supplier<CompletionStage<T>> call, ToLongFunction<T> bytes, Consumer<T> then) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException | Error e) {
            fail(e);
            return;
        }
        stage.whenComplete((result, error) -> {
            @Nullable Throwable failure = error;
            long count = 0;
            if (failure == null) {
                try {
                    count = bytes.applyAsLong(result);
                    if (count > 0) {
                        share.reserveAhead(count);
                    }
                } catch (RuntimeException | Error e) {
                    failure = e;
                }
            }
            go(result, failure, count, then);
        });
    }

    private <T> void go(T result, @Nullable Throwable failure, long count, Consumer<T> then) {
        onContext(() -> {
            if (failure != null) {
                fail(failure);
                return;
            }
            share.adopt(count);
            try {
                then.accept(result);
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        });
    }

    /** Runs an action on this event loop, at once if this is it. */
    private void onContext(Runnable action) {
        if (Vertx.currentContext() == context) {
            action.run();
        } else {
            context.runOnContext(ignored -> action.run());
        }
    }

    /** Runs an action on this event loop, later. May be called from any thread. */
    void later(Runnable action) {
        context.runOnContext(ignored -> action.run());
    }

    /** Answers without a body. */
    void answer(int status) {
        answer(status, null);
    }

    /**
     * Answers with an error. An unexpected one is logged, and its details stay here. An answer that has begun is cut
     * off. The reservations are returned.
     */
    void fail(Throwable error) {
        if (answered) {
            if (!isCutOrGone()) {
                logAndCut(error);
            }
            release();
            return;
        }
        try {
            answer(failures.problemOf(request, error));
        } catch (RuntimeException | Error e) {
            // No memory even for this answer.
            cutAndRelease();
            throw e;
        }
    }

    /** Closes the connection in the middle of an answer, whose status was already sent. */
    void logAndCut(Throwable error) {
        failures.logTruncated(request, error);
        cut();
    }

    /** Answers with an error. */
    void answer(HttpProblem problem) {
        if (!isOver()) {
            ClientErrors.putHeaders(problem, response);
            share.refused(problem.status());
        }
        answer(problem.status(), problem.body());
    }

    /**
     * Answers; a request by HEAD gets the length of the body in its place. Headers of the response must have been set.
     *
     * @param text the body, null for none
     */
    void answer(int status, @Nullable Buffer text) {
        stopTimer();
        if (isOver()) {
            // The client went while its request was in progress.
            if (gone) {
                releaseAll();
            }
            return;
        }
        answered = true;
        if (token != null) {
            token.end();
        }
        response.setStatusCode(status);
        if (isHead && text != null) {
            response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(text.length()));
        }
        Buffer sent = isHead ? null : text;
        if (body.isUnderWay()) {
            UnwantedBody.answerBefore(this, sent, body.endsConnection());
        } else {
            // Before the end: a client that has its answer must find the place free for its next request.
            release();
            watch(sent == null ? response.end() : response.end(sent));
        }
    }

    /** Notes that the head of an answer is being written elsewhere. {@link #watch} or {@link #cut} must follow. */
    void answerBegins() {
        answered = true;
    }

    /**
     * Ends the exchange when the operating system has the last of the answer; a client that does not read is cut off.
     */
    void watch(Future<Void> end) {
        if (end.isComplete()) {
            releaseAll();
            return;
        }
        startTimer(patience.writeTimeout(), this::cutAndRelease);
        end.onComplete(done -> releaseAll());
    }

    /**
     * Closes the connection, or resets the stream where it is one of several. A client in the middle of an answer sees
     * that it is truncated. The close waits for the data in the socket's queue, at most until the connection's idle
     * timeout, so it must not retain large objects.
     */
    void cut() {
        cut = true;
        stopTimer();
        response.drainHandler(null);
        if (isHttp2) {
            response.reset(HTTP2_CANCEL);
        } else {
            request.connection().close();
        }
        share.leave();
        share.leaveConnection();
    }

    /** Does the same as {@link #cut()}, and returns the reservations. */
    void cutAndRelease() {
        cut();
        release();
    }

    private void noteReset(Throwable error) {
        if (error instanceof StreamResetException && !wasReset) {
            wasReset = true;
            share.streamReset();
        }
    }

    private void clientGone() {
        if (gone) {
            return;
        }
        gone = true;
        stopTimer();
        share.leaveConnection();
        whenGone.run();
    }

    private void releaseAll() {
        release();
        share.leaveConnection();
    }

    /** Returns the reservations. A second call does nothing. */
    void release() {
        stopTimer();
        share.release();
    }
}
