package io.dht4j.transport.http.internal.remote;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.Key;
import io.dht4j.KeyValue;
import io.dht4j.RequestId;
import io.dht4j.UnavailableException;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.transport.common.options.RemoteApiOptions.Limits;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.Ndjson;
import io.dht4j.transport.http.internal.common.NdjsonSplitter;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer to a request, within bounds. Methods throw a {@link DhtException} if it is an error, and any other
 * {@link RuntimeException} if it is malformed. Belongs to one event loop.
 *
 * @param <T> the result
 */
public abstract class HttpRemoteAnswer<T> {

    private static final int MAX_PROBLEM_BYTES = 64 * 1024;

    /** The largest JSON answer: room for the status of a cluster of ten thousand nodes. */
    private static final int MAX_JSON_BYTES = 4 << 20;

    private static final int NOT_FOUND = 404;
    private static final int MISDIRECTED = 421;
    private static final int SUCCESS = 2;
    private static final Version NONE = new Version(0);

    private boolean isError;
    private volatile boolean isNotSent;
    private int status;
    private String type = "";
    private Buffer text = Buffer.buffer();

    private HttpRemoteAnswer() {}

    /** Takes the head. */
    final void begin(HttpClientResponse response) {
        status = response.statusCode();
        type = String.valueOf(response.getHeader(HttpHeaders.CONTENT_TYPE));
        isError = status / 100 != SUCCESS && !isAnswer(status);
        isNotSent = isError && PeerProtocol.NOT_SENT.equals(response.getHeader(PeerProtocol.OUTCOME_HEADER));
        if (status == MISDIRECTED) {
            // Before its end, so that the connection is closed: the next one looks the name up again.
            throw new UnavailableException(
                    ErrorCode.NOT_SENT,
                    "the node there is not known by this name (status 421): the name may lead to another node, or the"
                            + " node needs the name as a public host");
        }
        if (!isError) {
            head(response);
        }
    }

    /** Returns whether the head says that the node has not carried out the request. From any thread. */
    final boolean isNotSent() {
        return isNotSent;
    }

    /** Takes the next bytes. */
    final void add(Buffer piece) {
        if (isError) {
            collect(piece, MAX_PROBLEM_BYTES);
        } else {
            received(piece);
        }
    }

    /** Takes the end. */
    final T end() {
        return isError ? error() : success();
    }

    private T error() {
        JsonObject problem = HttpProblem.CONTENT_TYPE.equals(type) ? parsed(text) : new JsonObject();
        Integer number = problem.getInteger("code");
        String detail = String.valueOf(problem.getString("detail"));
        if (isNotSent) {
            throw new UnavailableException(ErrorCode.NOT_SENT, number == null ? "the node is not serving" : detail);
        }
        if (number == null) {
            if (status == NOT_FOUND && !problem.isEmpty()) {
                return absent();
            }
            throw new IllegalStateException("status " + status + " without a code of an error");
        }
        throw ErrorCode.byNumber(number)
                .map(code -> known(code, detail, problem.getString("request_id")))
                .orElseGet(() -> new IndeterminateException(
                        ErrorCode.INTERNAL, "an error that this version does not know, " + number + ": " + detail));
    }

    private static DhtException known(ErrorCode code, String detail, @Nullable String requestId) {
        DhtException failure = DhtException.of(code, detail);
        return requestId != null && failure instanceof IndeterminateException unknown
                ? unknown.withRequestId(RequestId.parse(requestId))
                : failure;
    }

    private static JsonObject parsed(Buffer text) {
        try {
            return new JsonObject(text);
        } catch (DecodeException e) {
            throw new IllegalStateException("not JSON", e);
        }
    }

    final Buffer collect(Buffer piece, int most) {
        require(text.length() + (long) piece.length(), most);
        return text.appendBuffer(piece);
    }

    static void require(long bytes, long most) {
        if (bytes > most) {
            throw new IllegalStateException("it is over " + most + " bytes, the most that this client takes");
        }
    }

    /** Returns whether a status that is no success is an answer nevertheless. */
    boolean isAnswer(int given) {
        return false;
    }

    T absent() {
        throw new IllegalStateException("status " + status);
    }

    void head(HttpClientResponse response) {}

    abstract void received(Buffer piece);

    abstract T success();

    /** Returns a reader of a value and its version, or its absence. */
    public static HttpRemoteAnswer<Optional<Value>> value(int maxBytes) {
        return new Single(maxBytes);
    }

    /** Returns a reader of the result of an operation on an atomic key. */
    public static HttpRemoteAnswer<AtomicResult> atomic(AtomicChange.Kind kind) {
        return new Atomic(kind);
    }

    /** Returns a reader of the version of a write. */
    public static HttpRemoteAnswer<Version> version() {
        return new Written();
    }

    /** Returns a reader of the values of a batch. */
    public static HttpRemoteAnswer<Map<Key, Value>> values(Set<Key> asked, Limits limits) {
        Map<Key, Value> values = new HashMap<>();
        return new Entries<>(limits.maxBatchBytes(), limits.maxValueBytes()) {

            @Override
            void take(KeyValue entry) {
                if (!asked.contains(entry.key()) || values.put(entry.key(), entry.value()) != null) {
                    throw new IllegalStateException("a key that was not asked for, or twice");
                }
            }

            @Override
            Map<Key, Value> taken() {
                return values;
            }
        };
    }

    /** Returns a reader of a scan's first entries. */
    public static HttpRemoteAnswer<List<KeyValue>> page(int limit, Limits limits) {
        long mostBytes = (long) limits.maxPageBytes() + limits.maxValueBytes() + Key.MAX_LENGTH;
        List<KeyValue> page = new ArrayList<>();
        return new Entries<>(mostBytes, limits.maxValueBytes()) {

            @Override
            void take(KeyValue entry) {
                if (page.size() == limit
                        || (!page.isEmpty() && page.get(page.size() - 1).key().compareTo(entry.key()) >= 0)) {
                    throw new IllegalStateException("more entries than were asked for, or not in ascending order");
                }
                page.add(entry);
            }

            @Override
            List<KeyValue> taken() {
                return page;
            }
        };
    }

    /** Returns a reader of a JSON object. */
    public static <T> HttpRemoteAnswer<T> json(Function<JsonObject, T> read) {
        return new Json<>(read);
    }

    private static Version versionOf(HttpClientResponse response) {
        String version = response.getHeader(ApiProtocol.VERSION_HEADER);
        if (version == null) {
            throw new IllegalStateException("no version");
        }
        return new Version(Long.parseUnsignedLong(version));
    }

    private static final class Single extends HttpRemoteAnswer<Optional<Value>> {

        private final int maxBytes;
        private Version version = new Version(0);
        private Optional<Instant> expiresAt = Optional.empty();
        private Buffer bytes = Buffer.buffer();

        Single(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        @Override
        void head(HttpClientResponse response) {
            version = versionOf(response);
            String expiry = response.getHeader(ApiProtocol.EXPIRY_HEADER);
            if (expiry != null) {
                expiresAt = Optional.of(Instant.ofEpochMilli(Long.parseLong(expiry)));
            }
            String length = response.getHeader(HttpHeaders.CONTENT_LENGTH);
            if (length != null) {
                require(Long.parseLong(length), maxBytes);
            }
        }

        @Override
        void received(Buffer piece) {
            bytes = collect(piece, maxBytes);
        }

        @Override
        Optional<Value> success() {
            return Optional.of(new Value(bytes.getBytes(), version, expiresAt));
        }

        @Override
        Optional<Value> absent() {
            return Optional.empty();
        }
    }

    private static final class Atomic extends HttpRemoteAnswer<AtomicResult> {

        private static final int CREATED = 201;
        private static final int PRECONDITION_FAILED = 412;

        private final AtomicChange.Kind kind;
        private int given;
        private boolean isProblem;
        private Version version = NONE;
        private OptionalLong number = OptionalLong.empty();
        private Optional<Instant> expiresAt = Optional.empty();
        private Buffer bytes = Buffer.buffer();

        Atomic(AtomicChange.Kind kind) {
            this.kind = kind;
        }

        @Override
        boolean isAnswer(int status) {
            return status == PRECONDITION_FAILED;
        }

        @Override
        void head(HttpClientResponse response) {
            given = response.statusCode();
            isProblem =
                    String.valueOf(response.getHeader(HttpHeaders.CONTENT_TYPE)).startsWith(HttpProblem.CONTENT_TYPE);
            String text = response.getHeader(ApiProtocol.VERSION_HEADER);
            version = text == null ? NONE : new Version(Long.parseUnsignedLong(text));
            String counted = response.getHeader(ApiProtocol.NUMBER_HEADER);
            number = counted == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(counted));
            String expiry = response.getHeader(ApiProtocol.EXPIRY_HEADER);
            if (expiry != null) {
                expiresAt = Optional.of(Instant.ofEpochMilli(Long.parseLong(expiry)));
            }
        }

        @Override
        void received(Buffer piece) {
            bytes = collect(piece, AtomicChange.MAX_VALUE_BYTES);
        }

        @Override
        AtomicResult success() {
            boolean isDone = given != PRECONDITION_FAILED;
            if (!isDone && !isConditionFailed()) {
                throw new IllegalStateException("status " + PRECONDITION_FAILED);
            }
            boolean shows = kind == AtomicChange.Kind.READ || (!isDone && !isProblem);
            return new AtomicResult(
                    isDone,
                    given == CREATED,
                    version,
                    number,
                    shows ? Optional.of(new Value(bytes.getBytes(), version, expiresAt)) : Optional.empty());
        }

        /** Returns whether the answer is one of a node, and not of a server on the way. */
        private boolean isConditionFailed() {
            return isProblem
                    ? Integer.valueOf(ErrorCode.CONDITION_FAILED.number())
                            .equals(parsed(bytes).getInteger("code"))
                    : version.packed() != 0;
        }

        @Override
        AtomicResult absent() {
            boolean isRead = kind == AtomicChange.Kind.READ;
            return new AtomicResult(
                    isRead, false, NONE, isRead ? OptionalLong.of(0) : OptionalLong.empty(), Optional.empty());
        }
    }

    private static final class Written extends HttpRemoteAnswer<Version> {

        private Version version = new Version(0);

        @Override
        void head(HttpClientResponse response) {
            version = versionOf(response);
        }

        @Override
        void received(Buffer piece) {
            collect(piece, MAX_PROBLEM_BYTES);
        }

        @Override
        Version success() {
            return version;
        }
    }

    private abstract static class Entries<T> extends HttpRemoteAnswer<T> {

        private final NdjsonSplitter splitter;
        private long bytes;

        Entries(long maxBytes, int maxValueBytes) {
            this.splitter = new NdjsonSplitter(Ndjson.maxLineBytes(maxValueBytes), new NdjsonSplitter.Lines() {

                @Override
                public void line(byte[] line, int from, int to) {
                    KeyValue entry = Ndjson.parse(line, from, to, Ndjson.ENTRY).entry();
                    bytes += entry.key().length() + entry.value().bytes().length;
                    require(bytes, maxBytes);
                    take(entry);
                }

                @Override
                public RuntimeException tooLong() {
                    return new IllegalStateException("a line of it has a value of more than " + maxValueBytes
                            + " bytes, the most that this client takes");
                }
            });
        }

        abstract void take(KeyValue entry);

        abstract T taken();

        @Override
        void received(Buffer piece) {
            splitter.add(piece);
        }

        @Override
        T success() {
            if (splitter.isInLine()) {
                throw new IllegalStateException("it ends in the middle of a line");
            }
            return taken();
        }
    }

    private static final class Json<T> extends HttpRemoteAnswer<T> {

        private final Function<JsonObject, T> read;
        private Buffer json = Buffer.buffer();

        Json(Function<JsonObject, T> read) {
            this.read = read;
        }

        @Override
        void received(Buffer piece) {
            json = collect(piece, MAX_JSON_BYTES);
        }

        @Override
        T success() {
            return read.apply(parsed(json));
        }
    }
}
