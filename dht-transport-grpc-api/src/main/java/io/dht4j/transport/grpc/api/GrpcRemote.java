package io.dht4j.transport.grpc.api;

import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadedException;
import io.dht4j.RepairStatus;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import io.dht4j.transport.common.RemoteAdmission;
import io.dht4j.transport.grpc.internal.GrpcVersions;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchGetResponse;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.CloseSnapshotRequest;
import io.dht4j.v1.DeleteRequest;
import io.dht4j.v1.Entry;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.OpenSnapshotRequest;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.RepairRequest;
import io.dht4j.v1.RepairStatusRequest;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.StatusRequest;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of the public gRPC API. It uses one channel per address and one gRPC call per call, and repeats nothing.
 * Stages complete on the client's event loops, or on the caller's thread; dependent actions must not block. Safe for
 * use by any number of threads.
 */
public final class GrpcRemote implements RemoteApi {

    /** The timeout of callers that omit it against the contract. */
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    private final GrpcRemoteOptions options;
    private final GrpcRemoteChannels channels;
    private final RemoteAdmission admission;
    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    private GrpcRemote(GrpcRemoteOptions options) {
        this.options = options;
        this.admission = new RemoteAdmission(options.limits());
        this.channels = new GrpcRemoteChannels(options);
    }

    /**
     * Creates a client, which connects at its first call. Blocks while it reads the files for TLS, if there are any.
     *
     * @param options limits, token and TLS
     * @return a client, which the caller closes
     * @throws IllegalArgumentException if a file for TLS is invalid
     * @throws IllegalStateException if the class path has a gRPC that is too old; the message states what to do
     */
    public static GrpcRemote create(GrpcRemoteOptions options) {
        GrpcVersions.check();
        return new GrpcRemote(options);
    }

    @Override
    public String name() {
        return "grpc";
    }

    @Override
    public CompletionStage<Optional<Value>> get(String address, Key key, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getGetMethod(),
                () -> GetRequest.newBuilder()
                        .setKey(GrpcRemoteMessages.bytes(key))
                        .setPolicy(GrpcRemoteMessages.policy(refuseTimeToLive(call)))
                        .build(),
                key.length(),
                call,
                ErrorCode.VALUE_TOO_LARGE,
                answer -> answer.hasValue()
                        ? Optional.of(GrpcRemoteMessages.value(answer.getValue()))
                        : Optional.empty());
    }

    @Override
    public CompletionStage<Version> put(String address, Key key, byte[] value, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getPutMethod(),
                () -> {
                    requireFits(key, value);
                    PutRequest.Builder request = PutRequest.newBuilder()
                            .setKey(GrpcRemoteMessages.bytes(key))
                            .setValue(UnsafeByteOperations.unsafeWrap(value))
                            .setPolicy(GrpcRemoteMessages.policy(call));
                    call.timeToLive().ifPresent(ttl -> request.setTtlMillis(ttl.toMillis()));
                    return request.build();
                },
                (long) key.length() + value.length,
                call,
                ErrorCode.VALUE_TOO_LARGE,
                answer -> new Version(answer.getVersion()));
    }

    @Override
    public CompletionStage<Version> delete(String address, Key key, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getDeleteMethod(),
                () -> DeleteRequest.newBuilder()
                        .setKey(GrpcRemoteMessages.bytes(key))
                        .setPolicy(GrpcRemoteMessages.policy(refuseTimeToLive(call)))
                        .build(),
                key.length(),
                call,
                ErrorCode.BAD_REQUEST,
                answer -> new Version(answer.getVersion()));
    }

    @Override
    public CompletionStage<Map<Key, Value>> getAll(String address, Collection<Key> keys, CallOptions call) {
        long size = 0;
        for (Key key : keys) {
            size += key.length();
        }
        long requestBytes = size;
        return unary(
                address,
                KeyValueGrpc.getBatchGetMethod(),
                () -> {
                    requireBatchFits(requestBytes);
                    BatchGetRequest.Builder request =
                            BatchGetRequest.newBuilder().setPolicy(GrpcRemoteMessages.policy(refuseTimeToLive(call)));
                    keys.forEach(key -> request.addKeys(GrpcRemoteMessages.bytes(key)));
                    return request.build();
                },
                requestBytes,
                call,
                ErrorCode.BATCH_TOO_LARGE,
                GrpcRemote::values);
    }

    private static Map<Key, Value> values(BatchGetResponse answer) {
        Map<Key, Value> values = new LinkedHashMap<>();
        for (Entry entry : answer.getEntriesList()) {
            KeyValue found = GrpcRemoteMessages.entry(entry);
            values.put(found.key(), found.value());
        }
        return values;
    }

    @Override
    public CompletionStage<Version> putAll(String address, Map<Key, byte[]> values, CallOptions call) {
        long size = 0;
        for (Map.Entry<Key, byte[]> value : values.entrySet()) {
            size += (long) value.getKey().length() + value.getValue().length;
        }
        long requestBytes = size;
        return unary(
                address,
                KeyValueGrpc.getBatchPutMethod(),
                () -> {
                    requireBatchFits(requestBytes);
                    BatchPutRequest.Builder request =
                            BatchPutRequest.newBuilder().setPolicy(GrpcRemoteMessages.policy(call));
                    call.timeToLive().ifPresent(ttl -> request.setTtlMillis(ttl.toMillis()));
                    values.forEach((key, value) -> {
                        requireFits(key, value);
                        request.addItems(BatchPutRequest.Item.newBuilder()
                                .setKey(GrpcRemoteMessages.bytes(key))
                                .setValue(UnsafeByteOperations.unsafeWrap(value)));
                    });
                    return request.build();
                },
                requestBytes,
                call,
                ErrorCode.BATCH_TOO_LARGE,
                answer -> new Version(answer.getVersion()));
    }

    @Override
    public CompletionStage<List<KeyValue>> scan(
            String address, KeyRange range, ScanScope scope, int limit, CallOptions call) {
        return pages(
                address,
                () -> GrpcRemoteMessages.scan(
                        range, scope, limit, options.limits().maxPageBytes(), refuseTimeToLive(call)),
                range,
                limit,
                call);
    }

    private CompletionStage<List<KeyValue>> pages(
            String address, Supplier<ScanRequest> request, KeyRange range, int limit, CallOptions call) {
        return call(
                address,
                KeyValueGrpc.getScanMethod(),
                () -> {
                    if (limit < 1) {
                        throw new InvalidRequestException(
                                ErrorCode.SCAN_INVALID, "limit must be 1 or more, not " + limit);
                    }
                    return request.get();
                },
                range.start().length(),
                call,
                ErrorCode.VALUE_TOO_LARGE,
                new GrpcRemoteScan(limit, options.limits().maxPageBytes()));
    }

    @Override
    public CompletionStage<Version> openSnapshot(String address, Duration lease, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getOpenSnapshotMethod(),
                () -> OpenSnapshotRequest.newBuilder()
                        .setLeaseMillis(lease.toMillis())
                        .setPolicy(GrpcRemoteMessages.policy(refuseTimeToLive(call)))
                        .build(),
                0,
                call,
                ErrorCode.INTERNAL,
                answer -> new Version(answer.getVersion()));
    }

    @Override
    public CompletionStage<List<KeyValue>> scanSnapshot(
            String address, Version snapshot, KeyRange range, int limit, CallOptions call) {
        return pages(
                address,
                () -> GrpcRemoteMessages.scan(
                                range,
                                ScanScope.CLUSTER,
                                limit,
                                options.limits().maxPageBytes(),
                                refuseTimeToLive(call))
                        .toBuilder()
                        .setSnapshot(snapshot.packed())
                        .build(),
                range,
                limit,
                call);
    }

    @Override
    public CompletionStage<Void> closeSnapshot(String address, Version snapshot, CallOptions call) {
        CompletionStage<Boolean> closed = unary(
                address,
                KeyValueGrpc.getCloseSnapshotMethod(),
                () -> CloseSnapshotRequest.newBuilder()
                        .setVersion(snapshot.packed())
                        .build(),
                0,
                call,
                ErrorCode.INTERNAL,
                answer -> true);
        return closed.thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Located> locate(String address, Key key, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getLocateMethod(),
                () -> LocateRequest.newBuilder()
                        .setKey(GrpcRemoteMessages.bytes(key))
                        .build(),
                key.length(),
                call,
                ErrorCode.INTERNAL,
                GrpcRemoteMessages::located);
    }

    @Override
    public CompletionStage<NodeStatus> status(String address, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getStatusMethod(),
                StatusRequest::getDefaultInstance,
                0,
                call,
                ErrorCode.INTERNAL,
                GrpcRemoteMessages::status);
    }

    @Override
    public CompletionStage<RepairStatus> repair(String address, Set<Integer> partitions, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getRepairMethod(),
                () -> RepairRequest.newBuilder().addAllPartitions(partitions).build(),
                0,
                call,
                ErrorCode.INTERNAL,
                GrpcRemoteMessages::repair);
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus(String address, CallOptions call) {
        return unary(
                address,
                KeyValueGrpc.getRepairStatusMethod(),
                RepairStatusRequest::getDefaultInstance,
                0,
                call,
                ErrorCode.INTERNAL,
                GrpcRemoteMessages::repair);
    }

    @Override
    public void close() {
        channels.close();
        ended = true;
        // The library may never notify a call that begins just as the threads end.
        underWay.forEach(GrpcRemote::abandon);
    }

    private static void abandon(CompletableFuture<?> call) {
        call.completeExceptionally(DhtException.of(
                ErrorCode.INTERNAL, "outcome unknown: this client was closed while the call was under way"));
    }

    private <Q, A, R> CompletionStage<R> unary(
            String address,
            MethodDescriptor<Q, A> method,
            Supplier<Q> request,
            long requestBytes,
            CallOptions call,
            ErrorCode ifTooLarge,
            Function<A, R> read) {
        return call(address, method, request, requestBytes, call, ifTooLarge, new OneMessage<>(read));
    }

    /** The only message of an answer. */
    private static final class OneMessage<A, R> implements GrpcRemoteCall.Collector<A, R> {

        private final Function<A, R> read;
        private @Nullable R result;

        OneMessage(Function<A, R> read) {
            this.read = read;
        }

        @Override
        public boolean take(A message) {
            result = read.apply(message);
            return true;
        }

        @Override
        public R result() {
            R read = result;
            if (read == null) {
                throw new IllegalStateException("there is no message in it");
            }
            return read;
        }
    }

    /** Admits a call, sends it, and releases its room when it has ended; the stage reports every failure. */
    // Futures are compared by identity, as intended.
    @SuppressWarnings("CollectionUndefinedEquality")
    private <Q, A, R> CompletionStage<R> call(
            String address,
            MethodDescriptor<Q, A> method,
            Supplier<Q> request,
            long requestBytes,
            CallOptions call,
            ErrorCode ifTooLarge,
            GrpcRemoteCall.Collector<A, R> collector) {
        String full = admission.enter(requestBytes);
        if (full != null) {
            return CompletableFuture.failedFuture(new OverloadedException(full));
        }
        CompletableFuture<R> running;
        try {
            running = GrpcRemoteCall.start(
                    () -> channels.at(address),
                    address,
                    method,
                    request.get(),
                    call.timeout().orElse(DEFAULT_TIMEOUT),
                    options.token(),
                    ifTooLarge,
                    collector,
                    channels.loops());
        } catch (DhtException e) {
            running = CompletableFuture.failedFuture(e);
        } catch (RuntimeException e) {
            running = CompletableFuture.failedFuture(
                    DhtException.of(ErrorCode.INTERNAL, "node at " + address + ": the call failed: " + e));
        }
        CompletableFuture<R> begun = running;
        underWay.add(begun);
        if (ended) {
            abandon(begun);
        }
        // The caller gets the stage behind this one, so that its next call finds the room that this one releases.
        return begun.whenComplete((result, error) -> {
            underWay.remove(begun);
            admission.leave(requestBytes);
        });
    }

    private static CallOptions refuseTimeToLive(CallOptions call) {
        if (call.timeToLive().isPresent()) {
            throw new InvalidRequestException(ErrorCode.TTL_INVALID, "a time to live is for put and putAll only");
        }
        return call;
    }

    private void requireFits(Key key, byte[] value) {
        if (value.length > options.limits().maxValueBytes()) {
            throw new InvalidRequestException(
                    ErrorCode.VALUE_TOO_LARGE,
                    "a value has at most " + options.limits().maxValueBytes() + " bytes, that of key " + key + " has "
                            + value.length);
        }
    }

    private void requireBatchFits(long size) {
        if (size > options.limits().maxBatchBytes()) {
            throw new InvalidRequestException(
                    ErrorCode.BATCH_TOO_LARGE,
                    "a batch has at most " + options.limits().maxBatchBytes()
                            + " bytes of keys and values, this one has " + size);
        }
    }
}
