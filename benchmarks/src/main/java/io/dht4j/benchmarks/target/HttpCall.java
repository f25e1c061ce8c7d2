package io.dht4j.benchmarks.target;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.benchmarks.load.LoadException;
import io.dht4j.benchmarks.load.Operation;
import io.dht4j.benchmarks.load.Outcome;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One request and its answer. On its event loop, but for what is said to be for any thread. */
final class HttpCall {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NOT_FOUND = 404;

    private final Operation operation;
    private final RequestOptions options;
    private final Buffer value;
    private final long deadline;
    private final CompletableFuture<Outcome> result = new CompletableFuture<>();
    private @Nullable HttpClientRequest request;
    private Runnable release = () -> {};

    /**
     * A call that has not begun.
     *
     * @param value what a put writes
     * @param deadline by {@link System#nanoTime()}
     */
    HttpCall(Operation operation, RequestOptions options, Buffer value, long deadline) {
        this.operation = operation;
        this.options = options;
        this.value = value;
        this.deadline = deadline;
    }

    /** For any thread. */
    CompletableFuture<Outcome> result() {
        return result;
    }

    /** For any thread. */
    void fail(Throwable error) {
        result.completeExceptionally(error);
    }

    /** Whether nobody waits for it any more; ends it if its time is over. */
    boolean hasEnded(long now) {
        if (!result.isDone() && deadline - now <= 0) {
            fail(new LoadException("timeout", "no answer in time"));
            HttpClientRequest open = request;
            if (open != null) {
                open.reset();
            }
        }
        return result.isDone();
    }

    /**
     * Sends it.
     *
     * @param whenFree what to do when another call may use the connection
     */
    void begin(HttpClientConnection connection, Runnable whenFree) {
        release = whenFree;
        connection.request(options).onComplete(this::opened);
    }

    /** Ends it because it could not be sent. */
    void failBy(Throwable cause) {
        fail(named(cause));
    }

    private void opened(AsyncResult<HttpClientRequest> opened) {
        if (opened.failed()) {
            failBy(opened.cause());
            release.run();
            return;
        }
        HttpClientRequest open = opened.result();
        if (result.isDone()) {
            // Nothing has been sent, and the connection is as good as before.
            open.reset();
            release.run();
            return;
        }
        request = open;
        open.response().onComplete(this::answered);
        switch (operation) {
            case PUT -> open.end(value);
            case GET -> open.end();
        }
    }

    private void answered(AsyncResult<HttpClientResponse> answered) {
        if (answered.failed()) {
            fail(named(answered.cause()));
            return;
        }
        HttpClientResponse response = answered.result();
        int status = response.statusCode();
        if (status == (operation == Operation.PUT ? CREATED : OK)) {
            finish(response, Outcome.DONE);
        } else if (status == NOT_FOUND && operation == Operation.GET) {
            finish(response, Outcome.ABSENT);
        } else {
            response.body().onComplete(body -> {
                fail(refused(status, body.succeeded() ? body.result() : Buffer.buffer()));
                releaseAfter(response, body.succeeded());
            });
        }
    }

    /** An operation has ended when all of its answer is there. */
    private void finish(HttpClientResponse response, Outcome outcome) {
        response.end().onComplete(end -> {
            // Before the result, so that the next call finds it free.
            releaseAfter(response, end.succeeded());
            if (end.succeeded()) {
                result.complete(outcome);
            } else {
                fail(named(end.cause()));
            }
        });
    }

    /** A connection that is about to end must not get another call. */
    private void releaseAfter(HttpClientResponse response, boolean isWhole) {
        if (isWhole && !"close".equalsIgnoreCase(response.getHeader(HttpHeaders.CONNECTION))) {
            release.run();
        }
    }

    private static LoadException refused(int status, Buffer body) {
        String name = "";
        String detail = "";
        try {
            JsonNode problem = JSON.readTree(body.getBytes());
            name = problem.path("name").asText();
            detail = problem.path("detail").asText();
        } catch (IOException e) {
            detail = "an answer that is no problem document";
        }
        return new LoadException(("HTTP " + status + " " + name).strip(), detail);
    }

    private static LoadException named(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof ConnectException) {
            return new LoadException("not connected", message);
        }
        if (cause instanceof HttpClosedException) {
            return new LoadException("connection closed", message);
        }
        return new LoadException(LoadException.nameOf(cause), message);
    }
}
