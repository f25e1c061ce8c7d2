package io.dht4j.transport.http.internal.api;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.HotKeys;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeDiagnostics;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.TraceContext;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HotKeysJson;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.common.Ndjson;
import io.dht4j.transport.http.internal.common.ReplicasJson;
import io.dht4j.transport.http.internal.common.SlowCallJson;
import io.dht4j.transport.http.internal.common.StatusJson;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Carries out requests: reads the parameters and the body, calls the cluster and answers. Does not block. Safe for use
 * by any number of event loops.
 */
final class ClusterCalls {

    static final CharSequence OCTETS = HttpHeaders.createOptimized("application/octet-stream");
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

    private static final List<String> ENTITY_PARAMETERS =
            List.of("id", "id_base64", "ack", "from", "replicas", "timeout", "ordering");
    private static final List<String> PUT_PARAMETERS =
            List.of("id", "id_base64", "ack", "from", "replicas", "timeout", "ordering", "ttl");
    private static final List<String> SCAN_PARAMETERS = List.of(
            "start",
            "start_base64",
            "end",
            "end_base64",
            "limit",
            "bytes",
            "scope",
            "snapshot",
            "ack",
            "from",
            "replicas",
            "timeout");
    private static final List<String> OPEN_SNAPSHOT_PARAMETERS = List.of("lease", "ack", "from", "replicas", "timeout");
    private static final List<String> CLOSE_SNAPSHOT_PARAMETERS = List.of("snapshot", "timeout");
    private static final long DEFAULT_LEASE_MILLIS = 60_000;
    private static final List<String> BATCH_GET_PARAMETERS = List.of("ack", "from", "replicas", "timeout", "ordering");
    private static final List<String> BATCH_PUT_PARAMETERS =
            List.of("ack", "from", "replicas", "timeout", "ordering", "ttl");
    private static final List<String> REPAIR_PARAMETERS = List.of("partition");
    private static final List<String> PLACEMENT_PARAMETERS = List.of("id", "id_base64");

    private static final List<String> HOT_KEYS_PARAMETERS = List.of("duration", "count");
    private static final long DEFAULT_COUNTING_MILLIS = 10_000;
    private static final int DEFAULT_HOT_KEYS = 10;
    private static final List<String> REPLICAS_PARAMETERS = List.of("id", "id_base64", "timeout");
    private static final List<String> PARTITIONS_PARAMETERS = List.of("first", "count");

    /** Bounds the time for which an event loop writes an answer. */
    private static final int MAX_PARTITIONS = 4096;

    private static final long MAX_LIMIT = 999_999_999_999_999_999L;

    private final Cluster cluster;

    ClusterCalls(Cluster cluster) {
        this.cluster = cluster;
    }

    private static Query query(ApiExchange exchange, List<String> known) {
        return Query.parse(exchange.request().query(), known);
    }

    /** Returns the call's options in the query, and the span of the caller. */
    private CallOptions options(ApiExchange exchange, Query query) {
        return options(exchange, query, cluster);
    }

    static CallOptions options(ApiExchange exchange, Query query, Cluster cluster) {
        CallOptions options = query.callOptions(cluster);
        MultiMap headers = exchange.request().headers();
        String parent = headers.get(ApiProtocol.TRACE_PARENT);
        return parent == null
                ? options
                : TraceContext.parse(parent, String.join(",", headers.getAll(ApiProtocol.TRACE_STATE)))
                        .map(options::withTraceContext)
                        .orElse(options);
    }

    void get(ApiExchange exchange) {
        Query query = query(exchange, ENTITY_PARAMETERS);
        Key key = query.id();
        CallOptions call = options(exchange, query);
        exchange.share().enter();
        exchange.await(
                () -> cluster.get(key, call),
                found -> found.isEmpty() ? 0 : found.get().bytes().length,
                found -> found(exchange, found));
    }

    private static void found(ApiExchange exchange, Optional<Value> found) {
        if (found.isEmpty()) {
            exchange.answer(HttpProblem.absent());
            return;
        }
        Value value = found.get();
        exchange.response()
                .putHeader(HttpHeaders.CONTENT_TYPE, OCTETS)
                .putHeader(ApiProtocol.VERSION_HEADER, value.version().toString());
        value.expiresAt()
                .ifPresent(at ->
                        exchange.response().putHeader(ApiProtocol.EXPIRY_HEADER, Long.toString(at.toEpochMilli())));
        ValueSlices.answer(exchange, value.bytes());
    }

    void put(ApiExchange exchange) {
        Query query = query(exchange, PUT_PARAMETERS);
        Key key = query.id();
        CallOptions call = options(exchange, query);
        ValueBody body = new ValueBody(
                exchange,
                value -> exchange.await(
                        () -> cluster.put(key, value, call), version -> written(exchange, 201, version)));
        read(exchange, body);
    }

    void delete(ApiExchange exchange) {
        Query query = query(exchange, ENTITY_PARAMETERS);
        Key key = query.id();
        CallOptions call = options(exchange, query);
        exchange.share().enter();
        exchange.await(() -> cluster.delete(key, call), version -> written(exchange, 202, version));
    }

    void getAll(ApiExchange exchange) {
        if (!bringsLinesOfJson(exchange)) {
            return;
        }
        CallOptions call = options(exchange, query(exchange, BATCH_GET_PARAMETERS));
        read(
                exchange,
                BatchBody.keys(
                        exchange,
                        keys -> exchange.await(
                                () -> cluster.getAll(keys, call),
                                ClusterCalls::bytes,
                                values -> found(exchange, keys, values))));
    }

    private static long bytes(Map<Key, Value> values) {
        long bytes = 0;
        for (Value value : values.values()) {
            bytes += value.bytes().length;
        }
        return bytes;
    }

    private static void found(ApiExchange exchange, List<Key> keys, Map<Key, Value> values) {
        // Counted again as a page.
        exchange.share().unreserve(bytes(values));
        ScanStream.start(exchange, PageScan.of(keys, values), true, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    void putAll(ApiExchange exchange) {
        if (!bringsLinesOfJson(exchange)) {
            return;
        }
        CallOptions call = options(exchange, query(exchange, BATCH_PUT_PARAMETERS));
        read(
                exchange,
                BatchBody.values(
                        exchange,
                        values -> exchange.await(
                                () -> cluster.putAll(values, call), version -> written(exchange, 201, version))));
    }

    /**
     * Answers a request that does not name the media type of a batch. A foreign page may make a browser send bodies of
     * some other types without a preflight request.
     */
    private static boolean bringsLinesOfJson(ApiExchange exchange) {
        List<String> types = exchange.request().headers().getAll(HttpHeaders.CONTENT_TYPE);
        if (types.size() == 1 && mediaType(types.get(0)).equals(Ndjson.CONTENT_TYPE)) {
            return true;
        }
        exchange.answer(HttpProblem.of(
                415,
                ErrorCode.BAD_REQUEST,
                "the body of a batch is lines of JSON: Content-Type must be " + Ndjson.CONTENT_TYPE
                        + (types.isEmpty() ? "" : ", not \"" + HttpText.shown(types.get(0)) + "\"")));
        return false;
    }

    /** Returns the media type without its parameters. */
    private static String mediaType(String header) {
        int semicolon = header.indexOf(';');
        return (semicolon < 0 ? header : header.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    private static void read(ApiExchange exchange, RequestBody.Receiver body) {
        RequestBody.read(exchange, body);
    }

    private static void written(ApiExchange exchange, int status, Version version) {
        exchange.response().putHeader(ApiProtocol.VERSION_HEADER, version.toString());
        exchange.answer(status);
    }

    /**
     * Streams a range.
     *
     * @param allowed throws if the client may not see this scope
     */
    void scan(ApiExchange exchange, Consumer<ScanScope> allowed) {
        Query query = query(exchange, SCAN_PARAMETERS);
        Key start = query.bound("start")
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.SCAN_INVALID, "start is missing: give the first key as start=..., percent-encoded"));
        KeyRange range =
                query.bound("end").map(end -> KeyRange.between(start, end)).orElseGet(() -> KeyRange.from(start));
        long limit = query.number("limit", 1, MAX_LIMIT).orElse(Long.MAX_VALUE);
        long bytes = query.number("bytes", 1, MAX_LIMIT).orElse(Long.MAX_VALUE);
        ScanScope scope = scope(query.text("scope").orElse("cluster"));
        allowed.accept(scope);
        Optional<Version> snapshot = query.version("snapshot");
        if (snapshot.isPresent() && scope == ScanScope.NODE) {
            throw new InvalidRequestException(
                    ErrorCode.SCAN_INVALID, "a snapshot is one of the cluster: snapshot does not go with scope=node");
        }
        CallOptions call = options(exchange, query);
        boolean ndjson = accepts(exchange.request().headers().getAll(HttpHeaders.ACCEPT), Ndjson.CONTENT_TYPE);
        exchange.share().enter();
        Scan scan = snapshot.isPresent()
                ? cluster.snapshot(snapshot.get()).scan(range, call)
                : cluster.scan(range, scope, call);
        ScanStream.start(exchange, scan, ndjson, limit, bytes);
    }

    void openSnapshot(ApiExchange exchange) {
        Query query = query(exchange, OPEN_SNAPSHOT_PARAMETERS);
        Duration lease =
                Duration.ofMillis(query.number("lease", Snapshot.MIN_LEASE.toMillis(), Snapshot.MAX_LEASE.toMillis())
                        .orElse(DEFAULT_LEASE_MILLIS));
        CallOptions call = options(exchange, query);
        exchange.share().enter();
        exchange.await(() -> cluster.openSnapshot(lease, call), snapshot -> written(exchange, 201, snapshot.version()));
    }

    void closeSnapshot(ApiExchange exchange) {
        Query query = query(exchange, CLOSE_SNAPSHOT_PARAMETERS);
        Version snapshot = query.version("snapshot")
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.SCAN_INVALID, "snapshot is missing: give the version of the snapshot to end"));
        CallOptions call = options(exchange, query);
        exchange.share().enter();
        exchange.await(
                () -> cluster.snapshot(snapshot).close(call).thenApply(done -> snapshot),
                version -> written(exchange, 202, version));
    }

    private static ScanScope scope(String name) {
        return switch (name) {
            case "cluster" -> ScanScope.CLUSTER;
            case "node" -> ScanScope.NODE;
            default ->
                throw new InvalidRequestException(
                        ErrorCode.SCAN_INVALID, "scope must be cluster or node, not \"" + HttpText.shown(name) + "\"");
        };
    }

    /** Returns whether a client names a media type among those it accepts; wildcards do not count. */
    private static boolean accepts(List<String> headers, String type) {
        for (String header : headers) {
            for (String range : header.split(",", -1)) {
                if (mediaType(range).equals(type)) {
                    return true;
                }
            }
        }
        return false;
    }

    void locate(ApiExchange exchange) {
        Key key = query(exchange, PLACEMENT_PARAMETERS).id();
        exchange.share().requireConnection();
        exchange.await(() -> cluster.locate(key), placement -> answerJson(exchange, StatusJson.placement(placement)));
    }

    void partitions(ApiExchange exchange) {
        Query query = query(exchange, PARTITIONS_PARAMETERS);
        int first = (int) query.number("first", 0, Integer.MAX_VALUE).orElse(0);
        int count = (int) query.number("count", 1, MAX_PARTITIONS).orElse(MAX_PARTITIONS);
        exchange.share().requireConnection();
        exchange.await(
                () -> node("partitions").placements(first, count),
                placements -> answerJson(exchange, StatusJson.partitions(first, placements)));
    }

    void repairStatus(ApiExchange exchange) {
        query(exchange, List.of());
        exchange.share().requireConnection();
        exchange.await(
                () -> cluster.operations().repairStatus(), status -> answerJson(exchange, StatusJson.repair(status)));
    }

    void repair(ApiExchange exchange) {
        Set<Integer> partitions = query(exchange, REPAIR_PARAMETERS).partitions();
        exchange.share().requireConnection();
        exchange.await(
                () -> cluster.operations().repair(partitions),
                status -> answerJson(exchange, StatusJson.repair(status)));
    }

    void status(ApiExchange exchange) {
        query(exchange, List.of());
        exchange.share().requireConnection();
        exchange.await(() -> cluster.operations().status(), status -> answerJson(exchange, StatusJson.status(status)));
    }

    void slowCalls(ApiExchange exchange) {
        query(exchange, List.of());
        exchange.share().requireConnection();
        answerJson(exchange, SlowCallJson.of(node("slow calls").slowCalls()));
    }

    void hotKeys(ApiExchange exchange) {
        Query query = query(exchange, HOT_KEYS_PARAMETERS);
        Duration duration =
                Duration.ofMillis(query.number("duration", HotKeys.SHORTEST.toMillis(), HotKeys.LONGEST.toMillis())
                        .orElse(DEFAULT_COUNTING_MILLIS));
        int count = (int) query.number("count", 1, HotKeys.MOST_KEYS).orElse(DEFAULT_HOT_KEYS);
        exchange.share().enter();
        // Many clients may wait for one count, whose text is large if its keys are.
        exchange.await(
                () -> node("hot keys").hotKeys(duration, count),
                HotKeysJson::mostBytes,
                hot -> exchange.await(
                        () -> offLoop(() -> HotKeysJson.of(hot).toBuffer().getBytes()), text -> {
                            exchange.response().putHeader(HttpHeaders.CONTENT_TYPE, JSON);
                            ValueSlices.answer(exchange, text);
                        }));
    }

    void replicas(ApiExchange exchange) {
        Query query = query(exchange, REPLICAS_PARAMETERS);
        Key key = query.id();
        CallOptions call = query.callOptions(cluster);
        exchange.share().enter();
        exchange.await(
                () -> node("replicas of a key").replicas(key, call),
                replicas -> answerJson(exchange, ReplicasJson.of(replicas)));
    }

    /** Returns the diagnostics of the node; fails while it starts. */
    private NodeDiagnostics node(String shown) {
        Topology ofStarted = cluster.topology();
        return cluster.operations()
                .diagnostics()
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.BAD_REQUEST,
                        "only a node shows its " + shown + ", and this process has none; the nodes are "
                                + ofStarted.nodes()));
    }

    /** Does work that would hold this event loop up, on a thread for such work. */
    private static <T> CompletionStage<T> offLoop(Callable<T> work) {
        return Vertx.currentContext().executeBlocking(work, false).toCompletionStage();
    }

    static void answerJson(ApiExchange exchange, JsonObject json) {
        exchange.response().putHeader(HttpHeaders.CONTENT_TYPE, JSON);
        exchange.answer(200, json.toBuffer());
    }
}
