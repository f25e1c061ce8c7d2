package io.dht4j.benchmarks.target;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.benchmarks.load.LoadException;
import io.dht4j.benchmarks.load.Operation;
import io.dht4j.benchmarks.load.Outcome;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.FullHttpRequest;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;

/** One operation: what to ask, and what became of it. Its result may be looked at and set by any thread, once. */
final class HttpCall {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CONNECTION_CLOSED = "connection closed";
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NOT_FOUND = 404;

    private final HttpAddress address;
    private final Operation operation;
    private final long key;
    private final byte[] value;
    private final long deadline;
    private final CompletableFuture<Outcome> result = new CompletableFuture<>();

    /**
     * A call that has not begun.
     *
     * @param address which node to ask
     * @param value what a put writes
     * @param deadline by {@link System#nanoTime()}
     */
    HttpCall(HttpAddress address, Operation operation, long key, byte[] value, long deadline) {
        this.address = address;
        this.operation = operation;
        this.key = key;
        this.value = value;
        this.deadline = deadline;
    }

    HttpAddress address() {
        return address;
    }

    FullHttpRequest request() {
        return address.request(operation, key, value);
    }

    CompletableFuture<Outcome> result() {
        return result;
    }

    /** Whether nobody waits for it any more. */
    boolean isOver() {
        return result.isDone();
    }

    /** Whether its time is over. */
    boolean isDue(long now) {
        return deadline - now <= 0;
    }

    void expire() {
        fail(new LoadException("timeout", "no answer in time"));
    }

    /** Ends it as the client of a target that is closed. */
    void closed() {
        fail(new LoadException("closed", "the target is closed"));
    }

    /** Ends it because it could not be sent, or its answer could not be read. */
    void failBy(Throwable cause) {
        fail(new LoadException(nameOf(cause), cause.toString()));
    }

    /** One name for each way to end, whatever the system and the moment make of it. */
    private static String nameOf(Throwable cause) {
        if (cause instanceof ConnectException) {
            return "not connected";
        }
        return cause instanceof IOException || cause instanceof PrematureChannelClosureException
                ? CONNECTION_CLOSED
                : LoadException.nameOf(cause);
    }

    /** Ends it because its connection has. */
    void disconnected() {
        fail(new LoadException(CONNECTION_CLOSED, "the node closed the connection"));
    }

    /**
     * Ends it by its answer.
     *
     * @param status of the answer
     * @param body of the answer if it was {@linkplain #isExpected not expected}
     */
    void answered(int status, byte[] body) {
        if (!isExpected(status)) {
            fail(refused(status, body));
        } else {
            result.complete(status == NOT_FOUND ? Outcome.ABSENT : Outcome.DONE);
        }
    }

    /** Whether such an answer is what an operation may end with. */
    boolean isExpected(int status) {
        return switch (operation) {
            case PUT -> status == CREATED;
            case GET -> status == OK || status == NOT_FOUND;
        };
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
