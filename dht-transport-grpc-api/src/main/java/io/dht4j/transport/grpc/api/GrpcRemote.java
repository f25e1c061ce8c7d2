package io.dht4j.transport.grpc.api;

import static java.util.Objects.requireNonNull;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
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
import io.dht4j.transport.grpc.api.internal.common.MembershipMessages;
import io.dht4j.transport.grpc.api.internal.remote.RemoteClient;
import io.dht4j.transport.grpc.api.internal.remote.RemoteMethod;
import io.dht4j.transport.grpc.api.internal.remote.RemoteRequests;
import io.dht4j.transport.grpc.internal.GrpcVersions;
import io.dht4j.v1.MembershipRequest;
import io.dht4j.v1.PlanRebalanceRequest;
import io.dht4j.v1.RepairStatusRequest;
import io.dht4j.v1.StatusRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A client of the public gRPC API. It uses one channel per address and one gRPC call per call, and repeats no call.
 * Stages complete on the client's event loops, or on the caller's thread; dependent actions must not block. Safe for
 * use by any number of threads.
 *
 * <p>gRPC encodes a request on the caller's thread, where Netty keeps a buffer for the next one until the thread ends.
 * In a server that loads applications again, a thread of the server thus keeps the class loader of a closed
 * application: call from threads of the application, or use the client of the HTTP API.
 */
public final class GrpcRemote implements RemoteApi {

    private final AtomicBoolean isClaimed = new AtomicBoolean();
    private final RemoteClient client;
    private final RemoteRequests requests;

    private GrpcRemote(GrpcRemoteOptions options) {
        this.client = new RemoteClient(options, options.eventLoops());
        this.requests = new RemoteRequests(options.limits());
    }

    /**
     * Creates a client, which connects at its first call. Blocks while it reads the files for TLS, if there are any.
     *
     * @param options limits, token and TLS
     * @return a client, which the caller closes
     * @throws IllegalArgumentException if a file for TLS is invalid
     * @throws IllegalStateException if the class path has a gRPC that is too old; the message names the remedy
     */
    public static GrpcRemote create(GrpcRemoteOptions options) {
        requireNonNull(options, "options");
        GrpcVersions.check();
        return new GrpcRemote(options);
    }

    @Override
    public String name() {
        return "grpc";
    }

    @Override
    public void claim() {
        if (!isClaimed.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "this GrpcRemote is in use by a RemoteCluster already: create one for each");
        }
    }

    @Override
    public void onStopping(Consumer<String> listener) {
        client.onStopping(listener);
    }

    @Override
    public CompletionStage<Optional<Value>> get(String address, Key key, CallOptions call) {
        return client.call(address, RemoteMethod.GET, key.length(), call, () -> requests.get(key, call));
    }

    @Override
    public CompletionStage<Version> put(String address, Key key, byte[] value, CallOptions call) {
        // Without the key, as over HTTP: the smallest budget of bytes has to admit the largest value.
        return client.call(address, RemoteMethod.PUT, value.length, call, () -> requests.put(key, value, call));
    }

    @Override
    public CompletionStage<Version> delete(String address, Key key, CallOptions call) {
        return client.call(address, RemoteMethod.DELETE, key.length(), call, () -> requests.delete(key, call));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(String address, Collection<Key> keys, CallOptions call) {
        long sum = 0;
        for (Key key : keys) {
            sum += key.length();
        }
        long size = sum;
        return client.call(address, RemoteMethod.GET_ALL, size, call, () -> requests.getAll(keys, size, call));
    }

    @Override
    public CompletionStage<Version> putAll(String address, Map<Key, byte[]> values, CallOptions call) {
        long sum = 0;
        for (Map.Entry<Key, byte[]> value : values.entrySet()) {
            sum += (long) value.getKey().length() + value.getValue().length;
        }
        long size = sum;
        return client.call(address, RemoteMethod.PUT_ALL, size, call, () -> requests.putAll(values, size, call));
    }

    @Override
    public CompletionStage<AtomicResult> execute(
            String address, String map, Key key, AtomicChange change, CallOptions call) {
        // The larger one, so that the smallest budget of bytes admits the largest value.
        int size = Math.max(key.length(), change.value().length);
        return client.call(address, RemoteMethod.EXECUTE, size, call, () -> requests.execute(map, key, change, call));
    }

    @Override
    public CompletionStage<List<KeyValue>> scan(
            String address, KeyRange range, ScanScope scope, int limit, CallOptions call) {
        return client.scan(
                address, limit, range.start().length(), call, () -> requests.scan(range, scope, limit, call));
    }

    @Override
    public CompletionStage<Version> openSnapshot(String address, Duration lease, CallOptions call) {
        return client.call(address, RemoteMethod.OPEN_SNAPSHOT, 0, call, () -> requests.openSnapshot(lease, call));
    }

    @Override
    public CompletionStage<List<KeyValue>> scanSnapshot(
            String address, Version snapshot, KeyRange range, int limit, CallOptions call) {
        return client.scan(
                address,
                limit,
                range.start().length(),
                call,
                () -> requests.scanSnapshot(snapshot, range, limit, call));
    }

    @Override
    public CompletionStage<Void> closeSnapshot(String address, Version snapshot, CallOptions call) {
        CompletionStage<Boolean> closed =
                client.call(address, RemoteMethod.CLOSE_SNAPSHOT, 0, call, () -> requests.closeSnapshot(snapshot));
        return closed.thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Located> locate(String address, Key key, CallOptions call) {
        return client.call(address, RemoteMethod.LOCATE, key.length(), call, () -> requests.locate(key));
    }

    @Override
    public CompletionStage<NodeStatus> status(String address, CallOptions call) {
        return client.call(address, RemoteMethod.STATUS, 0, call, StatusRequest::getDefaultInstance);
    }

    @Override
    public CompletionStage<RepairStatus> repair(String address, Set<Integer> partitions, CallOptions call) {
        return client.call(address, RemoteMethod.REPAIR, 0, call, () -> requests.repair(partitions));
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus(String address, CallOptions call) {
        return client.call(address, RemoteMethod.REPAIR_STATUS, 0, call, RepairStatusRequest::getDefaultInstance);
    }

    @Override
    public CompletionStage<MembershipStatus> membership(String address, CallOptions call) {
        return client.call(address, RemoteMethod.MEMBERSHIP, 0, call, MembershipRequest::getDefaultInstance);
    }

    @Override
    public CompletionStage<RebalancePlan> plan(String address, CallOptions call) {
        return client.call(address, RemoteMethod.PLAN, 0, call, PlanRebalanceRequest::getDefaultInstance);
    }

    @Override
    public CompletionStage<Long> change(String address, MembershipChange change, CallOptions call) {
        return client.call(address, RemoteMethod.CHANGE, 0, call, () -> MembershipMessages.message(change));
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
