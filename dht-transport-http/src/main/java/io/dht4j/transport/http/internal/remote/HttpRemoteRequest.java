package io.dht4j.transport.http.internal.remote;

import io.dht4j.AtomicChange;
import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.MembershipChange;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A request to the public HTTP API under construction. Belongs to one thread at a time. */
public final class HttpRemoteRequest {

    /** The part of the timeout that is kept for the answer's way back, but at most a tenth of it. */
    private static final Duration WAY_BACK = Duration.ofMillis(50);

    private static final int MILLION = 1_000_000;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final HttpMethod method;
    private final String path;
    private final Duration timeout;
    private final Optional<TraceContext> trace;
    private final StringBuilder query = new StringBuilder();
    private final Map<CharSequence, String> headers = new LinkedHashMap<>(4);
    private long bodyBytes;
    private Supplier<Buffer> body = Buffer::buffer;

    /** Creates a request with the policy, timeout and time to live of the options. */
    public HttpRemoteRequest(HttpMethod method, String path, CallOptions options) {
        this.method = method;
        this.path = path;
        this.trace = options.traceContext();
        this.timeout = options.timeout().orElse(CallOptions.MAX_TIMEOUT);
        Duration wayBack = timeout.dividedBy(10).compareTo(WAY_BACK) < 0 ? timeout.dividedBy(10) : WAY_BACK;
        add("timeout", Long.toString(roundedUp(timeout.minus(wayBack))));
        options.policy().ifPresent(policy -> {
            add("ack", Integer.toString(policy.ack()));
            add("from", Integer.toString(policy.from()));
        });
        options.timeToLive().ifPresent(ttl -> add("ttl", Long.toString(ttl.toMillis())));
        options.ordering()
                .ifPresent(ordering ->
                        add("ordering", ordering.name().toLowerCase(Locale.ROOT).replace('_', '-')));
    }

    /** Returns milliseconds, rounded up; at least one. */
    private static long roundedUp(Duration duration) {
        return Math.max(1, duration.plusNanos(MILLION - 1).toMillis());
    }

    /** Returns an operation on an atomic key. */
    public static HttpRemoteRequest atomic(String map, Key key, AtomicChange change, CallOptions options) {
        HttpRemoteRequest request = switch (change.kind()) {
            case READ -> new HttpRemoteRequest(HttpMethod.GET, ApiProtocol.ATOMIC, options);
            case PUT -> new HttpRemoteRequest(HttpMethod.PUT, ApiProtocol.ATOMIC, options);
            case PUT_IF_ABSENT ->
                new HttpRemoteRequest(HttpMethod.PUT, ApiProtocol.ATOMIC, options)
                        .header(HttpHeaders.IF_NONE_MATCH, "*");
            case REPLACE -> new HttpRemoteRequest(HttpMethod.PUT, ApiProtocol.ATOMIC, options).expecting(change);
            case REMOVE -> new HttpRemoteRequest(HttpMethod.DELETE, ApiProtocol.ATOMIC, options);
            case REMOVE_VERSION ->
                new HttpRemoteRequest(HttpMethod.DELETE, ApiProtocol.ATOMIC, options).expecting(change);
            case TOUCH -> new HttpRemoteRequest(HttpMethod.POST, ApiProtocol.ATOMIC_TOUCH, options);
            case ADD ->
                new HttpRemoteRequest(HttpMethod.POST, ApiProtocol.ATOMIC_ADD, options)
                        .add("delta", Long.toString(change.number()));
            case COMPARE_AND_SET ->
                new HttpRemoteRequest(HttpMethod.POST, ApiProtocol.ATOMIC_SET, options)
                        .add("expected", Long.toString(change.expectedNumber()))
                        .add("number", Long.toString(change.number()));
        };
        request.encoded("map", map);
        request.key(key);
        if (change.ttlMillis() > 0) {
            request.add("ttl", Long.toString(change.ttlMillis()));
        }
        options.requestId().ifPresent(id -> request.header(ApiProtocol.REQUEST_ID_HEADER, id.toString()));
        if (request.method.equals(HttpMethod.PUT)) {
            byte[] value = change.value();
            request.body(value.length, () -> Buffer.buffer(value));
        }
        return request.header(ApiProtocol.PREFER, ApiProtocol.REPRESENTATION);
    }

    private HttpRemoteRequest expecting(AtomicChange change) {
        return header(HttpHeaders.IF_MATCH, "\"" + change.expected() + "\"");
    }

    private HttpRemoteRequest header(CharSequence name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Returns the headers of this request alone. */
    Map<CharSequence, String> headers() {
        return headers;
    }

    HttpMethod method() {
        return method;
    }

    /** Returns whether the answer consists of lines of JSON. */
    boolean isScanOrBatch() {
        return path.equals(ApiProtocol.ENTITIES) || path.equals(ApiProtocol.BATCH_GET);
    }

    /** Returns whether the body consists of lines of JSON. */
    boolean bringsLines() {
        return path.equals(ApiProtocol.BATCH_GET) || path.equals(ApiProtocol.BATCH_PUT);
    }

    String target() {
        return query.isEmpty() ? path : path + "?" + query;
    }

    /** Returns the time in which the answer must arrive, in milliseconds from now. */
    long timeoutMillis() {
        return roundedUp(timeout);
    }

    /** Returns the span of the caller; empty if it has none. */
    Optional<TraceContext> trace() {
        return trace;
    }

    /** Returns the most bytes that the body may have. */
    long bodyBytes() {
        return bodyBytes;
    }

    Buffer body() {
        return body.get();
    }

    public HttpRemoteRequest key(Key key) {
        return add("id_base64", BASE64.encodeToString(key.unsafeBytes()));
    }

    /** Removes the parameters, for a resource that takes no options. */
    public HttpRemoteRequest withoutParameters() {
        query.setLength(0);
        return this;
    }

    public HttpRemoteRequest onlyKey(Key key) {
        return withoutParameters().key(key);
    }

    public HttpRemoteRequest partitions(Set<Integer> partitions) {
        withoutParameters();
        if (!partitions.isEmpty()) {
            add("partition", partitions.stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
        return this;
    }

    /** Asks for a change of the membership. */
    public HttpRemoteRequest change(MembershipChange change) {
        withoutParameters();
        if (change instanceof MembershipChange.Rebalance rebalance) {
            rebalance.paused().ifPresent(paused -> add("change", paused ? "pause" : "resume"));
            rebalance.bytesPerSecond().ifPresent(rate -> add("rate", Long.toString(rate)));
        } else if (change instanceof MembershipChange.ReplicationFactor factor) {
            add("replication_factor", Integer.toString(factor.replicas()));
        } else if (change instanceof MembershipChange.CancelMoves) {
            add("change", "cancel");
        } else if (change instanceof MembershipChange.Voters voters) {
            add("change", "voters");
            add("voters", Integer.toString(voters.voters()));
        } else if (change instanceof MembershipChange.Recover recover) {
            add("change", "recover");
            encoded("lost", recover.lost().stream().map(NodeId::value).sorted().collect(Collectors.joining(",")));
            if (recover.acceptDataLoss()) {
                add("accept_data_loss", "true");
            }
        } else if (change instanceof MembershipChange.Add add) {
            node("add", add.node());
        } else if (change instanceof MembershipChange.Remove remove) {
            node("remove", remove.node());
        } else if (change instanceof MembershipChange.Replace replace) {
            node("replace", replace.node());
            if (replace.acceptDataLoss()) {
                add("accept_data_loss", "true");
            }
        } else if (change instanceof MembershipChange.Update update) {
            node("update", update.node());
            update.address().ifPresent(address -> encoded("address", address));
            update.publicAddresses().ifPresent(addresses -> encoded("public_address", String.join(",", addresses)));
            update.zone().ifPresent(zone -> encoded("zone", zone));
            update.weight().ifPresent(weight -> add("weight", Integer.toString(weight)));
        }
        return this;
    }

    private void node(String change, NodeId node) {
        add("change", change);
        encoded("node", node.value());
    }

    private void encoded(String name, String value) {
        add(name, URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    public HttpRemoteRequest range(KeyRange range, ScanScope scope, int limit, int bytes) {
        add("start_base64", BASE64.encodeToString(range.start().unsafeBytes()));
        range.end().ifPresent(end -> add("end_base64", BASE64.encodeToString(end.unsafeBytes())));
        add("limit", Integer.toString(limit));
        add("bytes", Integer.toString(bytes));
        return add("scope", scope.name().toLowerCase(Locale.ROOT));
    }

    public HttpRemoteRequest snapshot(Version version) {
        return add("snapshot", version.toString());
    }

    public HttpRemoteRequest lease(Duration lease) {
        return add("lease", Long.toString(lease.toMillis()));
    }

    /** Sets the body, which is made when there is room for it. */
    public HttpRemoteRequest body(long maxBytes, Supplier<Buffer> bytes) {
        this.bodyBytes = maxBytes;
        this.body = bytes;
        return this;
    }

    private HttpRemoteRequest add(String name, String value) {
        if (!query.isEmpty()) {
            query.append('&');
        }
        query.append(name).append('=').append(value);
        return this;
    }
}
