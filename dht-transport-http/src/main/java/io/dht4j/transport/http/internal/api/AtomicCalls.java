package io.dht4j.transport.http.internal.api;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Carries out the requests for atomic keys. The version of a key is its strong entity tag. Does not block. Safe for use
 * by any number of event loops.
 */
final class AtomicCalls {

    private static final CharSequence TEXT = HttpHeaders.createOptimized("text/plain");

    /** What all requests take. The cluster refuses a policy and an ordering, and says why. */
    private static final List<String> PARAMETERS =
            List.of("map", "id", "id_base64", "timeout", "ack", "from", "replicas", "ordering");

    private static final List<String> PUT_PARAMETERS = with("ttl");
    private static final List<String> ADD_PARAMETERS = with("delta");
    private static final List<String> SET_PARAMETERS = with("expected", "number");

    private static final Pattern ENTITY_TAG = Pattern.compile("\"([0-9]{1,20})\"");

    private static final int CREATED = 201;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int PRECONDITION_FAILED = 412;

    private final Cluster cluster;

    AtomicCalls(Cluster cluster) {
        this.cluster = cluster;
    }

    private static List<String> with(String... more) {
        return Stream.concat(PARAMETERS.stream(), Stream.of(more)).toList();
    }

    /** A key of a request, and the options of its call. */
    private record Target(String map, Key key, CallOptions options) {}

    private Target target(ApiExchange exchange, Query query) {
        String map = query.wellFormed("map")
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.BAD_REQUEST,
                        "map is missing: give the name of the map of atomic keys as map=..., percent-encoded"));
        CallOptions options = ClusterCalls.options(exchange, query, cluster).withoutTimeToLive();
        List<String> ids = exchange.request().headers().getAll(ApiProtocol.REQUEST_ID_HEADER);
        if (ids.size() > 1) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, ApiProtocol.REQUEST_ID_HEADER + " stands more than once");
        }
        return new Target(
                map,
                query.id(),
                ids.isEmpty() ? options : options.withRequestId(RequestId.parse(unquoted(ids.get(0)))));
    }

    /** Returns an id, which clients may send as a string of RFC 9651. */
    private static String unquoted(String id) {
        return id.length() > 1 && id.startsWith("\"") && id.endsWith("\"") ? id.substring(1, id.length() - 1) : id;
    }

    private static Query query(ApiExchange exchange, List<String> known) {
        return Query.parse(exchange.request().query(), known);
    }

    private static long ttlMillis(Query query) {
        return query.number("ttl", 1, CallOptions.MAX_TIME_TO_LIVE.toMillis()).orElse(0);
    }

    private void execute(ApiExchange exchange, Target target, AtomicChange change, Consumer<AtomicResult> then) {
        exchange.await(
                () -> cluster.execute(target.map(), target.key(), change, target.options()),
                result -> result.current().map(value -> value.bytes().length).orElse(0),
                result -> {
                    if (result.isDone()) {
                        then.accept(result);
                    } else {
                        failed(exchange, change, result);
                    }
                });
    }

    void get(ApiExchange exchange) {
        Target target = target(exchange, query(exchange, PARAMETERS));
        exchange.share().enter();
        execute(exchange, target, AtomicChange.read(), result -> {
            Optional<Value> current = result.current();
            if (current.isEmpty()) {
                exchange.answer(HttpProblem.absent());
                return;
            }
            show(exchange.response(), result, current.get());
            ValueSlices.answer(exchange, current.get().bytes());
        });
    }

    /** Sets the headers of an answer that shows what a key holds. */
    private static void show(HttpServerResponse response, AtomicResult result, Value value) {
        response.putHeader(HttpHeaders.CONTENT_TYPE, result.number().isPresent() ? TEXT : ClusterCalls.OCTETS);
        value.expiresAt()
                .ifPresent(at -> response.putHeader(ApiProtocol.EXPIRY_HEADER, Long.toString(at.toEpochMilli())));
        tag(response, result);
    }

    private static void tag(HttpServerResponse response, AtomicResult result) {
        if (result.version().packed() != 0) {
            response.putHeader(ApiProtocol.VERSION_HEADER, result.version().toString())
                    .putHeader(HttpHeaders.ETAG, "\"" + result.version() + "\"");
        }
        result.number().ifPresent(number -> response.putHeader(ApiProtocol.NUMBER_HEADER, Long.toString(number)));
    }

    void put(ApiExchange exchange) {
        Query query = query(exchange, PUT_PARAMETERS);
        Target target = target(exchange, query);
        long ttl = ttlMillis(query);
        Optional<Version> expected = ifMatch(exchange);
        boolean ifAbsent = ifNoneMatch(exchange);
        if (ifAbsent && expected.isPresent()) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "If-Match and If-None-Match cannot both hold: give one of them");
        }
        int maxBytes = Math.min(AtomicChange.MAX_VALUE_BYTES, exchange.limits().maxValueBytes());
        ValueBody body = new ValueBody(exchange, maxBytes, bytes -> tooLarge(maxBytes, bytes), value -> {
            AtomicChange change = expected.map(version -> AtomicChange.replace(version, value, ttl))
                    .orElseGet(() -> ifAbsent ? AtomicChange.putIfAbsent(value, ttl) : AtomicChange.put(value, ttl));
            execute(exchange, target, change, result -> {
                tag(exchange.response(), result);
                exchange.answer(result.isCreated() ? CREATED : NO_CONTENT);
            });
        });
        RequestBody.read(exchange, body);
    }

    private static InvalidRequestException tooLarge(int maxBytes, long bytes) {
        return new InvalidRequestException(
                ErrorCode.VALUE_TOO_LARGE,
                "the value of an atomic key has at most " + maxBytes + " bytes"
                        + (bytes < 0 ? "" : ", this one has " + bytes));
    }

    void delete(ApiExchange exchange) {
        Target target = target(exchange, query(exchange, PARAMETERS));
        if (ifNoneMatch(exchange)) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, "If-None-Match has no meaning for DELETE");
        }
        AtomicChange change = ifMatch(exchange).map(AtomicChange::remove).orElseGet(AtomicChange::remove);
        exchange.share().enter();
        execute(exchange, target, change, result -> {
            exchange.response()
                    .putHeader(ApiProtocol.VERSION_HEADER, result.version().toString());
            exchange.answer(NO_CONTENT);
        });
    }

    void add(ApiExchange exchange) {
        Query query = query(exchange, ADD_PARAMETERS);
        Target target = target(exchange, query);
        count(exchange, target, AtomicChange.add(query.signed("delta").orElse(1)));
    }

    void set(ApiExchange exchange) {
        Query query = query(exchange, SET_PARAMETERS);
        Target target = target(exchange, query);
        count(exchange, target, AtomicChange.compareAndSet(needed(query, "expected"), needed(query, "number")));
    }

    private static long needed(Query query, String name) {
        return query.signed(name)
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.BAD_REQUEST,
                        name + " is missing: give expected=NUMBER, which the counter must have, and number=NUMBER,"
                                + " which it gets"));
    }

    private void count(ApiExchange exchange, Target target, AtomicChange change) {
        exchange.share().enter();
        execute(exchange, target, change, result -> {
            tag(exchange.response(), result);
            OptionalLong number = result.number();
            exchange.response().putHeader(HttpHeaders.CONTENT_TYPE, TEXT);
            exchange.answer(
                    result.isCreated() ? CREATED : OK,
                    Buffer.buffer(number.isPresent() ? Long.toString(number.getAsLong()) : ""));
        });
    }

    void touch(ApiExchange exchange) {
        Query query = query(exchange, PUT_PARAMETERS);
        Target target = target(exchange, query);
        long ttl = ttlMillis(query);
        if (ttl == 0) {
            throw new InvalidRequestException(
                    ErrorCode.TTL_INVALID, "ttl is missing: give the time to live from now on, in milliseconds");
        }
        exchange.share().enter();
        execute(exchange, target, AtomicChange.touch(ttl), result -> {
            tag(exchange.response(), result);
            exchange.answer(NO_CONTENT);
        });
    }

    /** Answers an operation whose condition does not hold. */
    private static void failed(ApiExchange exchange, AtomicChange change, AtomicResult result) {
        if (change.kind() == AtomicChange.Kind.TOUCH) {
            exchange.answer(HttpProblem.absent());
            return;
        }
        Optional<Value> current = result.current();
        tag(exchange.response(), result);
        if (current.isPresent() && prefersRepresentation(exchange)) {
            show(exchange.response(), result, current.get());
            exchange.answer(PRECONDITION_FAILED, Buffer.buffer(current.get().bytes()));
            return;
        }
        exchange.share().unreserve(current.map(value -> value.bytes().length).orElse(0));
        exchange.answer(HttpProblem.of(ErrorCode.CONDITION_FAILED, "nothing done: " + reason(change, result)));
    }

    private static String reason(AtomicChange change, AtomicResult result) {
        if (change.kind() == AtomicChange.Kind.COMPARE_AND_SET) {
            return "the counter is " + result.number().orElse(0) + ", not " + change.expectedNumber();
        }
        if (result.current().isEmpty()) {
            return "the key holds nothing";
        }
        return change.kind() == AtomicChange.Kind.PUT_IF_ABSENT
                ? "the key holds a value, of version " + result.version()
                : "the key has version " + result.version() + ", not " + change.expected();
    }

    private static boolean prefersRepresentation(ApiExchange exchange) {
        return exchange.request().headers().getAll(ApiProtocol.PREFER).contains(ApiProtocol.REPRESENTATION);
    }

    private static Optional<Version> ifMatch(ApiExchange exchange) {
        List<String> tags = exchange.request().headers().getAll(HttpHeaders.IF_MATCH);
        if (tags.isEmpty()) {
            return Optional.empty();
        }
        Matcher tag = ENTITY_TAG.matcher(tags.get(0).strip());
        if (tags.size() == 1 && tag.matches()) {
            try {
                return Optional.of(new Version(Long.parseUnsignedLong(tag.group(1))));
            } catch (NumberFormatException e) {
                // Falls through to the message, which shows the expected form.
            }
        }
        throw new InvalidRequestException(
                ErrorCode.BAD_REQUEST,
                "If-Match must be one ETag as an answer shows it, such as \"115292150460684697\", not "
                        + HttpText.shown(tags.get(0)));
    }

    private static boolean ifNoneMatch(ApiExchange exchange) {
        List<String> tags = exchange.request().headers().getAll(HttpHeaders.IF_NONE_MATCH);
        if (tags.isEmpty()) {
            return false;
        }
        if (tags.size() == 1 && tags.get(0).strip().equals("*")) {
            return true;
        }
        throw new InvalidRequestException(
                ErrorCode.BAD_REQUEST,
                "If-None-Match must be *, which holds if the key has nothing, not " + HttpText.shown(tags.get(0)));
    }
}
