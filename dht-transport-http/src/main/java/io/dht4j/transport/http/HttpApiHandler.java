package io.dht4j.transport.http;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.security.Scope;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The public HTTP API: finds the resource, checks method and parameters, calls the cluster and answers. Does not block.
 * Safe for use by any number of event loops.
 */
final class HttpApiHandler implements Handler<HttpServerRequest> {

    static final String ENTITY = "/v0/entity";
    static final String ENTITIES = "/v0/entities";
    static final String PLACEMENT = "/v0/placement";
    static final String STATUS = "/v0/status";

    private static final CharSequence VERSION_HEADER = HttpHeaders.createOptimized("Dht-Version");
    private static final CharSequence OCTETS = HttpHeaders.createOptimized("application/octet-stream");
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

    private static final List<String> ENTITY_PARAMETERS = List.of("id", "ack", "from");
    private static final List<String> PUT_PARAMETERS = List.of("id", "ack", "from", "ttl");
    private static final List<String> SCAN_PARAMETERS = List.of("start", "end", "limit", "scope");
    private static final List<String> PLACEMENT_PARAMETERS = List.of("id");

    private static final long MAX_LIMIT = 999_999_999_999_999_999L;

    private final Vertx vertx;
    private final Cluster cluster;
    private final HttpApiOptions options;
    private final HttpApiAdmission admission;
    private final HttpApiGuard guard;

    HttpApiHandler(
            Vertx vertx, Cluster cluster, HttpApiOptions options, HttpApiAdmission admission, HttpApiGuard guard) {
        this.vertx = vertx;
        this.cluster = cluster;
        this.options = options;
        this.admission = admission;
        this.guard = guard;
    }

    @Override
    public void handle(HttpServerRequest request) {
        HttpApiExchange exchange = new HttpApiExchange(request, vertx, options, admission);
        if (request.response().writeQueueFull()) {
            // A client that sends requests without reading the answers waits, and its next requests with it.
            request.pause();
            exchange.startTimer(options.writeTimeout(), exchange::cut);
            request.response().drainHandler(drained -> {
                request.response().drainHandler(null);
                exchange.stopTimer();
                route(exchange);
                request.resume();
            });
            return;
        }
        route(exchange);
    }

    private void route(HttpApiExchange exchange) {
        try {
            admission.requireServing();
            String path = Objects.requireNonNullElse(exchange.request().path(), "");
            authorize(exchange.request(), path);
            switch (path) {
                case ENTITY -> entity(exchange);
                case ENTITIES -> entities(exchange);
                case PLACEMENT -> placement(exchange);
                case STATUS -> status(exchange);
                default ->
                    throw new InvalidRequestException(
                            ErrorCode.UNKNOWN_RESOURCE,
                            "no resource \"" + HttpApiQuery.shown(path) + "\"; there are "
                                    + String.join(", ", ENTITY, ENTITIES, PLACEMENT, STATUS));
            }
        } catch (RuntimeException e) {
            exchange.fail(e);
        }
    }

    /** What a request needs by its path and method; whoever asks for something that is not there must be known at least. */
    private void authorize(HttpServerRequest request, String path) {
        String method = request.method().name();
        switch (path) {
            case ENTITY -> {
                switch (method) {
                    case "GET" -> guard.require(request, Scope.READ);
                    case "PUT", "DELETE" -> guard.require(request, Scope.WRITE);
                    default -> guard.requireAny(request);
                }
            }
            case ENTITIES, PLACEMENT -> guard.require(request, Scope.READ);
            default -> guard.requireAny(request);
        }
    }

    private void entity(HttpApiExchange exchange) {
        String query = exchange.request().query();
        switch (exchange.request().method().name()) {
            case "GET" -> get(requireNoBody(exchange), HttpApiQuery.parse(query, ENTITY_PARAMETERS));
            case "PUT" -> put(exchange, HttpApiQuery.parse(query, PUT_PARAMETERS));
            case "DELETE" -> delete(requireNoBody(exchange), HttpApiQuery.parse(query, ENTITY_PARAMETERS));
            default -> refuseMethod(exchange, "GET, PUT, DELETE");
        }
    }

    private void get(HttpApiExchange exchange, HttpApiQuery query) {
        Key key = query.id();
        CallOptions call = callOptions(query);
        exchange.enter();
        exchange.await(() -> cluster.get(key, call), found -> found(exchange, found));
    }

    private static void found(HttpApiExchange exchange, Optional<Value> found) {
        if (found.isEmpty()) {
            exchange.answer(HttpApiProblem.absent());
            return;
        }
        Value value = found.get();
        exchange.reserve(value.bytes().length);
        exchange.response()
                .putHeader(HttpHeaders.CONTENT_TYPE, OCTETS)
                .putHeader(VERSION_HEADER, value.version().toString());
        exchange.answerValue(value.bytes());
    }

    private void put(HttpApiExchange exchange, HttpApiQuery query) {
        Key key = query.id();
        OptionalLong ttl = query.number("ttl", 1, CallOptions.MAX_TIME_TO_LIVE.toMillis());
        CallOptions policy = callOptions(query);
        CallOptions call = ttl.isPresent() ? policy.withTimeToLive(Duration.ofMillis(ttl.getAsLong())) : policy;
        HttpApiBody.requireAllowedLength(exchange);
        exchange.enter();
        HttpApiBody.read(
                exchange,
                value -> exchange.await(
                        () -> cluster.put(key, value, call), version -> written(exchange, 201, version)));
    }

    private void delete(HttpApiExchange exchange, HttpApiQuery query) {
        Key key = query.id();
        CallOptions call = callOptions(query);
        exchange.enter();
        exchange.await(() -> cluster.delete(key, call), version -> written(exchange, 202, version));
    }

    private static void written(HttpApiExchange exchange, int status, Version version) {
        exchange.response().putHeader(VERSION_HEADER, version.toString());
        exchange.answer(status);
    }

    private CallOptions callOptions(HttpApiQuery query) {
        int nodes = cluster.topology().size();
        OptionalLong from = query.number("from", 1, nodes);
        OptionalLong ack = query.number("ack", 1, nodes);
        CallOptions defaults = CallOptions.defaults();
        if (ack.isEmpty() && from.isEmpty()) {
            return defaults;
        }
        if (ack.isEmpty()) {
            return defaults.withPolicy(ReplicationPolicy.majorityOf((int) from.getAsLong()));
        }
        int replicas = from.isPresent()
                ? (int) from.getAsLong()
                : cluster.defaultPolicy().from();
        return defaults.withPolicy((int) ack.getAsLong(), replicas);
    }

    private void entities(HttpApiExchange exchange) {
        if (!requireGet(exchange)) {
            return;
        }
        HttpApiQuery query = HttpApiQuery.parse(exchange.request().query(), SCAN_PARAMETERS);
        Key start = query.bound("start")
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.SCAN_INVALID, "start is missing: give the first key as start=..., percent-encoded"));
        KeyRange range = new KeyRange(start, query.bound("end"));
        long limit = query.number("limit", 1, MAX_LIMIT).orElse(Long.MAX_VALUE);
        ScanScope scope = scope(query.text("scope").orElse("cluster"));
        if (scope == ScanScope.NODE) {
            guard.require(exchange.request(), Scope.ADMIN);
        }
        boolean ndjson = accepts(exchange.request().headers().getAll(HttpHeaders.ACCEPT), HttpApiScan.NDJSON);
        exchange.enter();
        HttpApiScan.start(exchange, cluster.scan(range, scope, CallOptions.defaults()), ndjson, limit);
    }

    private static ScanScope scope(String name) {
        return switch (name) {
            case "cluster" -> ScanScope.CLUSTER;
            case "node" -> ScanScope.NODE;
            default ->
                throw new InvalidRequestException(
                        ErrorCode.SCAN_INVALID,
                        "scope must be cluster or node, not \"" + HttpApiQuery.shown(name) + "\"");
        };
    }

    /** Whether a client names a media type among those it accepts; wildcards do not count. */
    private static boolean accepts(List<String> headers, String type) {
        for (String header : headers) {
            for (String range : header.split(",", -1)) {
                int semicolon = range.indexOf(';');
                String name = semicolon < 0 ? range : range.substring(0, semicolon);
                if (name.strip().toLowerCase(Locale.ROOT).equals(type)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void placement(HttpApiExchange exchange) {
        if (!requireGet(exchange)) {
            return;
        }
        Key key = HttpApiQuery.parse(exchange.request().query(), PLACEMENT_PARAMETERS)
                .id();
        exchange.await(() -> cluster.locate(key), placement -> answerJson(exchange, json(placement)));
    }

    private static JsonObject json(KeyPlacement placement) {
        JsonArray replicas = new JsonArray();
        for (Node node : placement.replicas()) {
            replicas.add(node.id().value());
        }
        return new JsonObject().put("partition", placement.partition()).put("replicas", replicas);
    }

    private void status(HttpApiExchange exchange) {
        if (!requireGet(exchange)) {
            return;
        }
        HttpApiQuery.parse(exchange.request().query(), List.of());
        exchange.await(cluster::status, status -> answerJson(exchange, json(status)));
    }

    private static JsonObject json(NodeStatus status) {
        JsonArray nodes = new JsonArray();
        for (Node node : status.topology().nodes()) {
            nodes.add(new JsonObject()
                    .put("id", node.id().value())
                    .put("address", node.address())
                    .put("weight", node.weight()));
        }
        return new JsonObject()
                .put("id", status.id().value())
                .put("epoch", status.topology().epoch())
                .put("nodes", nodes)
                .put("replication_factor", status.replicationFactor())
                .put("partitions", status.partitions())
                .put("placement", status.placement())
                .put("hash", status.hash())
                .put("transport", status.transport())
                .put("store", status.store())
                .put("version", status.version())
                .put("entries", status.entries())
                .put("uptime_ms", status.uptime().toMillis());
    }

    private static void answerJson(HttpApiExchange exchange, JsonObject json) {
        exchange.response().putHeader(HttpHeaders.CONTENT_TYPE, JSON);
        exchange.answer(200, json.toBuffer());
    }

    private static HttpApiExchange requireNoBody(HttpApiExchange exchange) {
        if (exchange.hasBody()) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, "only PUT takes a body");
        }
        return exchange;
    }

    private static boolean requireGet(HttpApiExchange exchange) {
        if (exchange.request().method().equals(HttpMethod.GET)) {
            requireNoBody(exchange);
            return true;
        }
        refuseMethod(exchange, "GET");
        return false;
    }

    private static void refuseMethod(HttpApiExchange exchange, String allowed) {
        exchange.response().putHeader(HttpHeaders.ALLOW, allowed);
        exchange.answer(HttpApiProblem.of(
                ErrorCode.METHOD_NOT_ALLOWED,
                HttpApiQuery.shown(exchange.request().method().name()) + " is not allowed here; allowed: " + allowed));
    }
}
