package io.dht4j.transport.http;

import static java.util.Objects.requireNonNull;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeStatus;
import io.dht4j.RebalancePlan;
import io.dht4j.RepairStatus;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import io.dht4j.transport.common.options.RemoteApiOptions.Limits;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.MembershipJson;
import io.dht4j.transport.http.internal.common.Ndjson;
import io.dht4j.transport.http.internal.common.StatusJson;
import io.dht4j.transport.http.internal.netty.VertxVersions;
import io.dht4j.transport.http.internal.remote.HttpRemoteAnswer;
import io.dht4j.transport.http.internal.remote.HttpRemoteClient;
import io.dht4j.transport.http.internal.remote.HttpRemoteRequest;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A client of the public HTTP API, over HTTP/1.1 with kept-alive connections, for processes without a store. The
 * address of a node is {@code host:port} of its {@link HttpApi}, with IPv6 addresses in brackets.
 *
 * <p>A node receives a little less than a call's timeout, so that its own answer may still arrive. A call that gets no
 * connection for any reason fails with {@code NOT_SENT}. A call beyond this client's own bounds fails with
 * {@code OVERLOADED}. Safe for use by any number of threads; stages complete on the client's own event loop.
 */
public final class HttpRemote implements RemoteApi {

    private final AtomicBoolean isClaimed = new AtomicBoolean();
    private final Limits limits;
    private final HttpRemoteClient client;

    private HttpRemote(HttpRemoteOptions options) {
        this.limits = options.limits();
        this.client = new HttpRemoteClient(options.connections(), limits);
    }

    /**
     * Creates a client. Connections are opened on demand. Blocks while it reads the files for TLS.
     *
     * @param options TLS, token and bounds
     * @return a new client, which must be closed
     * @throws IllegalArgumentException if a file for TLS is invalid
     * @throws IllegalStateException if the class path has a Vert.x or Netty that is too old; the message names the
     *     remedy
     */
    public static HttpRemote create(HttpRemoteOptions options) {
        requireNonNull(options, "options");
        VertxVersions.check();
        return new HttpRemote(options);
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public void claim() {
        if (!isClaimed.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "this HttpRemote is in use by a RemoteCluster already: create one for each");
        }
    }

    @Override
    public void onStopping(Consumer<String> listener) {
        client.onStopping(listener);
    }

    @Override
    public CompletionStage<Optional<Value>> get(String address, Key key, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.GET, ApiProtocol.ENTITY, options).key(key),
                HttpRemoteAnswer.value(limits.maxValueBytes()));
    }

    @Override
    public CompletionStage<Version> put(String address, Key key, byte[] value, CallOptions options) {
        return checked(
                () -> limits.requireFits(key, value),
                () -> client.call(
                        address,
                        new HttpRemoteRequest(HttpMethod.PUT, ApiProtocol.ENTITY, options)
                                .key(key)
                                .body(value.length, () -> Buffer.buffer(value)),
                        HttpRemoteAnswer.version()));
    }

    @Override
    public CompletionStage<Version> delete(String address, Key key, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.DELETE, ApiProtocol.ENTITY, options).key(key),
                HttpRemoteAnswer.version());
    }

    @Override
    public CompletionStage<AtomicResult> execute(
            String address, String map, Key key, AtomicChange change, CallOptions options) {
        return checked(
                () -> limits.requireFits(key, change.value()),
                () -> client.call(
                        address,
                        HttpRemoteRequest.atomic(map, key, change, options),
                        HttpRemoteAnswer.atomic(change.kind())));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(String address, Collection<Key> keys, CallOptions options) {
        Set<Key> asked = new HashSet<>(keys);
        long size = asked.stream().mapToLong(Key::length).sum();
        long lines = asked.stream().mapToLong(key -> lineBytes(key, 0)).sum();
        return checked(
                () -> limits.requireBatchFits(size),
                () -> client.call(
                        address,
                        new HttpRemoteRequest(HttpMethod.POST, ApiProtocol.BATCH_GET, options).body(lines, () -> {
                            Buffer body = Buffer.buffer();
                            asked.forEach(key -> body.appendBuffer(Ndjson.key(key)));
                            return body;
                        }),
                        HttpRemoteAnswer.values(asked, limits)));
    }

    @Override
    public CompletionStage<Version> putAll(String address, Map<Key, byte[]> values, CallOptions options) {
        long size = 0;
        long lines = 0;
        for (Map.Entry<Key, byte[]> entry : values.entrySet()) {
            size += (long) entry.getKey().length() + entry.getValue().length;
            lines += lineBytes(entry.getKey(), entry.getValue().length);
        }
        long batchBytes = size;
        long bodyBytes = lines;
        return checked(
                () -> {
                    limits.requireBatchFits(batchBytes);
                    values.forEach(limits::requireFits);
                },
                () -> client.call(
                        address,
                        new HttpRemoteRequest(HttpMethod.POST, ApiProtocol.BATCH_PUT, options).body(bodyBytes, () -> {
                            Buffer body = Buffer.buffer();
                            values.forEach((key, value) -> body.appendBuffer(Ndjson.put(key, value)));
                            return body;
                        }),
                        HttpRemoteAnswer.version()));
    }

    /** Makes a call unless the check throws: a request over a limit of this client is not sent. */
    private static <T> CompletionStage<T> checked(Runnable limit, Supplier<CompletionStage<T>> call) {
        try {
            limit.run();
            return call.get();
        } catch (InvalidRequestException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns the approximate length of a line of a batch, never too small. */
    private static long lineBytes(Key key, int valueBytes) {
        return 64 + 4L * (key.length() / 3 + 1) + 4L * (valueBytes / 3 + 1);
    }

    @Override
    public CompletionStage<List<KeyValue>> scan(
            String address, KeyRange range, ScanScope scope, int limit, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.GET, ApiProtocol.ENTITIES, options)
                        .range(range, scope, limit, limits.maxPageBytes()),
                HttpRemoteAnswer.page(limit, limits));
    }

    @Override
    public CompletionStage<Version> openSnapshot(String address, Duration lease, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.POST, ApiProtocol.SNAPSHOTS, options).lease(lease),
                HttpRemoteAnswer.version());
    }

    @Override
    public CompletionStage<List<KeyValue>> scanSnapshot(
            String address, Version snapshot, KeyRange range, int limit, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.GET, ApiProtocol.ENTITIES, options)
                        .range(range, ScanScope.CLUSTER, limit, limits.maxPageBytes())
                        .snapshot(snapshot),
                HttpRemoteAnswer.page(limit, limits));
    }

    @Override
    public CompletionStage<Void> closeSnapshot(String address, Version snapshot, CallOptions options) {
        CompletionStage<Version> closed = client.call(
                address,
                new HttpRemoteRequest(HttpMethod.DELETE, ApiProtocol.SNAPSHOTS, options).snapshot(snapshot),
                HttpRemoteAnswer.version());
        return closed.thenAccept(version -> {});
    }

    @Override
    public CompletionStage<Located> locate(String address, Key key, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.GET, ApiProtocol.PLACEMENT, options).onlyKey(key),
                HttpRemoteAnswer.json(StatusJson::located));
    }

    private <T> CompletionStage<T> show(
            String address, String path, Function<JsonObject, T> read, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.GET, path, options).withoutParameters(),
                HttpRemoteAnswer.json(read));
    }

    @Override
    public CompletionStage<NodeStatus> status(String address, CallOptions options) {
        return show(address, ApiProtocol.STATUS, StatusJson::status, options);
    }

    @Override
    public CompletionStage<RepairStatus> repair(String address, Set<Integer> partitions, CallOptions options) {
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.POST, ApiProtocol.REPAIR, options).partitions(partitions),
                HttpRemoteAnswer.json(StatusJson::repair));
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus(String address, CallOptions options) {
        return show(address, ApiProtocol.REPAIR, StatusJson::repair, options);
    }

    @Override
    public CompletionStage<MembershipStatus> membership(String address, CallOptions options) {
        return show(address, ApiProtocol.NODES, MembershipJson::status, options);
    }

    @Override
    public CompletionStage<RebalancePlan> plan(String address, CallOptions options) {
        return show(address, ApiProtocol.REBALANCE, MembershipJson::plan, options);
    }

    @Override
    public CompletionStage<Long> change(String address, MembershipChange change, CallOptions options) {
        boolean rebalances = change instanceof MembershipChange.Rebalance
                || change instanceof MembershipChange.CancelMoves
                || change instanceof MembershipChange.ReplicationFactor;
        String path = rebalances ? ApiProtocol.REBALANCE : ApiProtocol.NODES;
        return client.call(
                address,
                new HttpRemoteRequest(HttpMethod.POST, path, options).change(change),
                HttpRemoteAnswer.json(MembershipJson::epoch));
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public boolean isClosed() {
        return client.isClosed();
    }
}
