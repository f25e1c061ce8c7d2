package io.dht4j.transport.http.internal.remote;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.transport.common.RemoteAdmission;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.netty.Malformed;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.net.HostAndPort;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer: it waits for a connection, is sent, and is answered. The first event that ends it takes
 * effect, its deadline at the latest. All fields except the stage and the progress belong to the event loop.
 */
final class HttpRemoteCall<T> {

    private enum Progress {
        WAITING,
        SENT,
        GIVEN_UP
    }

    private static final String NO_ANSWER = "not an answer of this API: ";

    private final String address;
    private final HttpRemoteRequest request;
    private final HttpRemoteAnswer<T> answer;
    private final HttpRemoteClient client;
    private final long deadline;
    private final CompletableFuture<T> stage = new CompletableFuture<>();
    private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.WAITING);
    private @Nullable HttpClientRequest connected;
    /** Whether the end of the answer has come. */
    private boolean ended;

    HttpRemoteCall(String address, HttpRemoteRequest request, HttpRemoteAnswer<T> answer, HttpRemoteClient client) {
        this.address = address;
        this.request = request;
        this.answer = answer;
        this.client = client;
        this.deadline = System.nanoTime() + request.timeoutMillis() * 1_000_000;
    }

    CompletableFuture<T> stage() {
        return stage;
    }

    /** Ends it, unless it has been sent. From any thread. */
    void refuse(String why) {
        refuse(ErrorCode.NOT_SENT, why);
    }

    private void refuse(ErrorCode code, String why) {
        refuse(DhtException.of(code, address + ": " + why));
    }

    private void refuse(DhtException failure) {
        if (progress.compareAndSet(Progress.WAITING, Progress.GIVEN_UP)) {
            stage.completeExceptionally(failure);
        }
    }

    /** Ends a call of a closed client, unless it has been sent. From any thread. */
    void refuseClosed() {
        refuse(RemoteAdmission.closed());
    }

    /** Ends a call for which this client has no room, before any byte of it is sent. */
    void overload(String why) {
        refuse(ErrorCode.OVERLOADED, why);
    }

    private void fail(String why) {
        ErrorCode code = answer.isNotSent() ? ErrorCode.NOT_SENT : ErrorCode.INTERNAL;
        stage.completeExceptionally(DhtException.of(code, address + ": " + why));
    }

    /** Ends it, unless it has ended. From any thread. */
    void abandon(String why) {
        refuse(why);
        fail(why);
    }

    /** Begins the call. */
    void start(HostAndPort node) {
        if (stage.isDone()) {
            return;
        }
        long millis = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
        long timer = client.vertx().setTimer(millis, passed -> {
            abandon("no answer within " + request.timeoutMillis() + " ms");
            reset();
        });
        stage.whenComplete((result, error) -> client.vertx().cancelTimer(timer));
        client.connect(node, request).onComplete(connection -> {
            if (connection.failed()) {
                refuse(connection.cause());
            } else {
                send(connection.result());
            }
        });
    }

    private void refuse(Throwable cause) {
        Optional<String> words = ConnectFailure.inWords(cause);
        if (words.isEmpty() && cause instanceof IllegalArgumentException) {
            // The token would be plaintext: no other try can succeed.
            refuse(ErrorCode.BAD_REQUEST, ConnectFailure.message(cause));
        } else {
            refuse(words.orElseGet(() -> "no connection: " + ConnectFailure.message(cause)));
        }
    }

    private void send(HttpClientRequest connection) {
        connected = connection;
        // First, since Vert.x logs an error when a request without a handler is reset.
        connection.exceptionHandler(this::unanswered);
        if (!progress.compareAndSet(Progress.WAITING, Progress.SENT)) {
            reset();
            return;
        }
        connection.response().onComplete(response -> {
            if (response.failed()) {
                unanswered(response.cause());
            } else {
                receive(response.result());
            }
        });
        if (request.bodyBytes() > 0) {
            Buffer body = request.body();
            connection.end(body);
        } else {
            connection.end();
        }
    }

    /** Ends it, since there is no answer or none of HTTP. */
    private void unanswered(Throwable cause) {
        if (cause instanceof HttpClosedException) {
            fail("it closed the connection without an answer" + client.hintOfClosed(address));
        } else if (cause instanceof IllegalArgumentException || Malformed.isNotHttp(cause)) {
            fail(NO_ANSWER + "it does not speak HTTP; is this a port of another transport, or of gRPC?");
        } else {
            fail(ConnectFailure.message(cause));
        }
    }

    private void receive(HttpClientResponse response) {
        client.hasAnswered(address);
        if (response.headers().contains(ApiProtocol.STOPPING_HEADER)) {
            client.isStopping(address);
        }
        response.exceptionHandler(e -> fail("the answer was cut: " + ConnectFailure.message(e)));
        guarded(() -> answer.begin(response));
        if (stage.isDone()) {
            // A response that was reset takes no handlers.
            return;
        }
        response.handler(piece -> guarded(() -> answer.add(piece)));
        response.endHandler(end -> {
            ended = true;
            guarded(() -> stage.complete(answer.end()));
        });
    }

    /** Runs a step, and ends the call if the step throws. */
    private void guarded(Runnable step) {
        if (stage.isDone()) {
            return;
        }
        try {
            step.run();
        } catch (DhtException e) {
            stage.completeExceptionally(e);
            if (!ended) {
                // The rest is not read.
                reset();
            }
        } catch (RuntimeException e) {
            fail(NO_ANSWER + ConnectFailure.message(e));
            reset();
        }
    }

    /** Closes the connection; it can carry no other request while this one is in flight. */
    private void reset() {
        if (connected != null) {
            connected.reset();
        }
    }
}
