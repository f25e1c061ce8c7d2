package io.dht4j.benchmarks.load.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.spi.ConnectFailure;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.FullHttpRequest;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;

/** One operation, its request and its result. Any thread may read the result, and set it once. */
final class HttpCall {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CONNECTION_CLOSED = "connection closed";

    private final HttpAddress address;
    private final HttpOperation operation;
    private final long deadline;
    private final CompletableFuture<Outcome> result = new CompletableFuture<>();
    /** By {@link System#nanoTime()}. */
    private long waitingSince;

    /**
     * Creates a call that has not begun.
     *
     * @param address of the node
     * @param operation the kind of operation
     * @param deadline by {@link System#nanoTime()}
     */
    HttpCall(HttpAddress address, HttpOperation operation, long deadline) {
        this.address = address;
        this.operation = operation;
        this.deadline = deadline;
    }

    HttpAddress address() {
        return address;
    }

    FullHttpRequest request() {
        return address.request(operation);
    }

    CompletableFuture<Outcome> result() {
        return result;
    }

    /** Notes that it waits for a free connection. Confined to the event loop, as {@link #waitedNanos}. */
    void waits() {
        waitingSince = System.nanoTime();
    }

    /** Returns how long it has waited for a free connection. */
    long waitedNanos() {
        return Math.max(0, System.nanoTime() - waitingSince);
    }

    /** Returns whether it has a result. */
    boolean isOver() {
        return result.isDone();
    }

    /** Returns whether its deadline has passed. */
    boolean isDue(long now) {
        return deadline - now <= 0;
    }

    void expire() {
        fail(new LoadException("timeout", "no answer in time"));
    }

    /** Fails it because the client closed. */
    void closed() {
        fail(new LoadException("closed", "the client is closed"));
    }

    /** Fails it because sending the request or reading the answer failed. */
    void failBy(Throwable cause) {
        fail(new LoadException(
                nameOf(cause),
                ConnectFailure.inWords(cause)
                        .map(words -> address.host() + ":" + address.port() + ": " + words)
                        .orElseGet(cause::toString)));
    }

    /** Returns one name for each kind of failure, independent of system and timing. */
    private static String nameOf(Throwable cause) {
        if (cause instanceof ConnectException) {
            return "not connected";
        }
        return cause instanceof IOException || cause instanceof PrematureChannelClosureException
                ? CONNECTION_CLOSED
                : LoadException.nameOf(cause);
    }

    /** Fails it because its connection ended. */
    void disconnected() {
        fail(new LoadException(CONNECTION_CLOSED, "the node closed the connection"));
    }

    /**
     * Completes it with its answer.
     *
     * @param status of the answer
     * @param body of an {@linkplain #isExpected unexpected} answer
     * @param hasBody whether an expected answer has a body
     */
    void answered(int status, byte[] body, boolean hasBody) {
        if (!isExpected(status)) {
            fail(refused(status, body));
        } else {
            result.complete(operation.outcome(status, hasBody));
        }
    }

    /** Returns whether an operation may end with such an answer. */
    boolean isExpected(int status) {
        return operation.isExpected(status);
    }

    private static LoadException refused(int status, byte[] body) {
        String name = "";
        String detail = "";
        try {
            JsonNode problem = JSON.readTree(body);
            name = problem.path("name").asText();
            detail = problem.path("detail").asText();
        } catch (IOException e) {
            detail = "an answer that is no problem document";
        }
        return new LoadException(("HTTP " + status + " " + name).strip(), detail);
    }

    private void fail(LoadException error) {
        result.completeExceptionally(error);
    }
}
