package io.dht4j.server.client;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Value;
import io.dht4j.Version;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Operations on atomic keys. Each has an id, the same at all nodes that are tried, so that it is executed once. Safe
 * for use by any number of threads.
 */
final class AtomicRequests {

    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NO_CONTENT = 204;
    private static final int NOT_FOUND = 404;
    private static final int SERVER_ERROR = 500;

    /** Room for a value, or for the description of an error. */
    private static final int MAX_ANSWER_BYTES = 1 << 20;

    private static final Version NONE = new Version(0);

    private final NodeRequests requests;

    AtomicRequests(NodeRequests requests) {
        this.requests = requests;
    }

    /** An operation. */
    private record Operation(String map, Key key, AtomicChange change) {

        ApiRequest request(Optional<RequestId> id) {
            ApiRequest request = request();
            id.ifPresentOrElse(given -> request.header("Idempotency-Key", given.toString()), request::once);
            return request;
        }

        private ApiRequest request() {
            return switch (change.kind()) {
                case READ -> new ApiRequest("GET", path("", ""));
                case PUT -> put();
                case PUT_IF_ABSENT -> put().header("If-None-Match", "*");
                case REPLACE -> put().header("If-Match", expected());
                case REMOVE -> new ApiRequest("DELETE", path("", ""));
                case REMOVE_VERSION -> new ApiRequest("DELETE", path("", "")).header("If-Match", expected());
                case ADD -> new ApiRequest("POST", path("/add", "&delta=" + change.number()));
                case TOUCH, COMPARE_AND_SET -> throw new IllegalArgumentException("no command does " + change.kind());
            };
        }

        private ApiRequest put() {
            String ttl = change.ttlMillis() == 0 ? "" : "&ttl=" + change.ttlMillis();
            return new ApiRequest("PUT", path("", ttl), BodyPublishers.ofByteArray(change.value()));
        }

        private String path(String below, String parameters) {
            return "/v0/atomic" + below + "?map=" + URLEncoder.encode(map, StandardCharsets.UTF_8) + "&"
                    + QueryEncoding.id(key) + parameters;
        }

        private String expected() {
            return "\"" + change.expected() + "\"";
        }

        boolean isRead() {
            return change.kind() == AtomicChange.Kind.READ;
        }
    }

    /**
     * Executes an operation.
     *
     * @param given the id of an operation that may have been attempted before; empty for a new one
     * @return completes also if the condition does not hold; fails with a {@link ClientException}, which says whether
     *     the outcome is unknown
     */
    CompletableFuture<AtomicResult> execute(String map, Key key, AtomicChange change, Optional<RequestId> given) {
        Operation operation = new Operation(map, key, change);
        if (operation.isRead()) {
            return send(operation, Optional.empty(), false);
        }
        return send(operation, Optional.of(given.orElseGet(RequestId::next)), given.isEmpty());
    }

    private CompletableFuture<AtomicResult> send(Operation operation, Optional<RequestId> id, boolean isNew) {
        ApiRequest request = operation.isRead() ? operation.request() : operation.request(id);
        return requests.send(request, BoundedBody.atMost(MAX_ANSWER_BYTES))
                .handle((response, error) -> {
                    if (error != null) {
                        return CompletableFuture.<AtomicResult>failedFuture(
                                unanswered(operation, request, id, DhtException.unwrap(error)));
                    }
                    Optional<AtomicResult> result = result(operation.change().kind(), response);
                    return result.isPresent()
                            ? CompletableFuture.completedFuture(result.get())
                            : refused(operation, request, id, isNew, response);
                })
                .thenCompose(stage -> stage);
    }

    private static Throwable unanswered(
            Operation operation, ApiRequest request, Optional<RequestId> id, Throwable cause) {
        return cause instanceof ClientException failure && request.mayBeDone() && !operation.isRead()
                ? failure.withUnknownOutcome(id)
                : cause;
    }

    /** Returns what an operation has come to, a value without its expiry; empty for an error. */
    private static Optional<AtomicResult> result(AtomicChange.Kind kind, HttpResponse<byte[]> response) {
        int status = response.statusCode();
        boolean isDone = switch (kind) {
            case READ -> status == OK;
            case ADD -> status == OK || status == CREATED;
            default -> status == CREATED || status == NO_CONTENT;
        };
        boolean isAbsent = kind == AtomicChange.Kind.READ && status == NOT_FOUND;
        if (!isDone && !isAbsent && AnswerFailures.code(response).orElse(null) != ErrorCode.CONDITION_FAILED) {
            return Optional.empty();
        }
        Version version = DhtClient.version(response).orElse(NONE);
        Optional<Value> current = isDone && kind == AtomicChange.Kind.READ
                ? Optional.of(new Value(response.body(), version, Optional.empty()))
                : Optional.empty();
        OptionalLong number = number(response);
        return kind == AtomicChange.Kind.ADD && number.isEmpty()
                ? Optional.empty()
                : Optional.of(new AtomicResult(isDone || isAbsent, status == CREATED, version, number, current));
    }

    private static OptionalLong number(HttpResponse<?> response) {
        try {
            return response.headers().firstValueAsLong("Dht-Number");
        } catch (NumberFormatException e) {
            return OptionalLong.empty(); // Some other server.
        }
    }

    private CompletableFuture<AtomicResult> refused(
            Operation operation,
            ApiRequest request,
            Optional<RequestId> id,
            boolean isNew,
            HttpResponse<byte[]> response) {
        ErrorCode code = AnswerFailures.code(response).orElse(null);
        if (isNew
                && !request.mayBeDone()
                && (code == ErrorCode.REQUEST_FORGOTTEN || code == ErrorCode.VERSION_TOO_FAR_AHEAD)) {
            // The clock of this machine is wrong: the node makes an id by its own.
            return send(operation, Optional.empty(), false);
        }
        ClientException failure = AnswerFailures.refused(response, response.body());
        return CompletableFuture.failedFuture(
                !operation.isRead() && isUnknown(code, response.statusCode(), request.mayBeDone())
                        ? failure.withUnknownOutcome(requestId(response).or(() -> id))
                        : failure);
    }

    /**
     * Returns whether the operation may have been executed after an error answer.
     *
     * @param mayBeDone whether another node may have executed it before
     */
    private static boolean isUnknown(@Nullable ErrorCode code, int status, boolean mayBeDone) {
        if (code == null) {
            return mayBeDone || status >= SERVER_ERROR;
        }
        return switch (code) {
            // The key has looked for the id.
            case ATOMIC_KIND, COUNTER_OVERFLOW, REQUEST_ID_REUSED -> false;
            // A repetition would find no more.
            case REQUEST_FORGOTTEN -> false;
            default -> mayBeDone || code.action() == ErrorCode.Action.REPEAT_ONLY_THIS;
        };
    }

    private static Optional<RequestId> requestId(HttpResponse<byte[]> response) {
        String text = AnswerFailures.json(response.body())
                .map(problem -> problem.path("request_id").asText())
                .orElse("");
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(RequestId.parse(text));
        } catch (InvalidRequestException e) {
            return Optional.empty(); // Some other server.
        }
    }
}
