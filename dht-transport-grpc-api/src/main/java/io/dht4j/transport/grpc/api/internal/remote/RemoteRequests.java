package io.dht4j.transport.grpc.api.internal.remote;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.AtomicChange;
import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.transport.common.options.RemoteApiOptions.Limits;
import io.dht4j.v1.AtomicRequest;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.CloseSnapshotRequest;
import io.dht4j.v1.DeleteRequest;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.OpenSnapshotRequest;
import io.dht4j.v1.Ordering;
import io.dht4j.v1.Policy;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.RepairRequest;
import io.dht4j.v1.ScanRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Builds the messages of requests, which share the arrays of keys and values. Each method throws an
 * {@link InvalidRequestException} if the request is over a limit of this client or has options that do not apply. Safe
 * for use by any number of threads.
 */
public final class RemoteRequests {

    private final Limits limits;

    /** Creates a builder of requests within these limits. */
    public RemoteRequests(Limits limits) {
        this.limits = limits;
    }

    /** Builds a read. */
    public GetRequest get(Key key, CallOptions call) {
        return GetRequest.newBuilder()
                .setKey(bytes(key))
                .setPolicy(policy(withoutTimeToLive(call)))
                .build();
    }

    /** Builds a write. */
    public PutRequest put(Key key, byte[] value, CallOptions call) {
        limits.requireFits(key, value);
        PutRequest.Builder request = PutRequest.newBuilder()
                .setKey(bytes(key))
                .setValue(UnsafeByteOperations.unsafeWrap(value))
                .setPolicy(policy(call));
        call.timeToLive().ifPresent(ttl -> request.setTtlMillis(ttl.toMillis()));
        return request.build();
    }

    /** Builds a deletion. */
    public DeleteRequest delete(Key key, CallOptions call) {
        return DeleteRequest.newBuilder()
                .setKey(bytes(key))
                .setPolicy(policy(withoutTimeToLive(call)))
                .build();
    }

    /** Builds a batch of reads; {@code size} is the sum of the keys' lengths. */
    public BatchGetRequest getAll(Collection<Key> keys, long size, CallOptions call) {
        limits.requireBatchFits(size);
        BatchGetRequest.Builder request = BatchGetRequest.newBuilder().setPolicy(policy(withoutTimeToLive(call)));
        keys.forEach(key -> request.addKeys(bytes(key)));
        return request.build();
    }

    /** Builds a batch of writes; {@code size} is the sum of the keys' and values' lengths. */
    public BatchPutRequest putAll(Map<Key, byte[]> values, long size, CallOptions call) {
        limits.requireBatchFits(size);
        BatchPutRequest.Builder request = BatchPutRequest.newBuilder().setPolicy(policy(call));
        call.timeToLive().ifPresent(ttl -> request.setTtlMillis(ttl.toMillis()));
        values.forEach((key, value) -> {
            limits.requireFits(key, value);
            request.addItems(BatchPutRequest.Item.newBuilder()
                    .setKey(bytes(key))
                    .setValue(UnsafeByteOperations.unsafeWrap(value)));
        });
        return request.build();
    }

    /** Builds an operation on an atomic key, whose time to live is part of its change. */
    public AtomicRequest execute(String map, Key key, AtomicChange change, CallOptions call) {
        limits.requireFits(key, change.value());
        if (call.timeToLive().isPresent()) {
            throw new InvalidRequestException(
                    ErrorCode.TTL_INVALID, "a time to live is for atomic operations that set a value only");
        }
        AtomicRequest.Builder request =
                AtomicRequest.newBuilder().setMap(map).setKey(bytes(key)).setPolicy(policy(call));
        call.requestId().ifPresent(id -> request.setRequestId(id.toString()));
        return withChange(request, change).build();
    }

    private static AtomicRequest.Builder withChange(AtomicRequest.Builder request, AtomicChange change) {
        return switch (change.kind()) {
            case READ -> request.setRead(AtomicRequest.Read.getDefaultInstance());
            case PUT -> request.setPut(put(change));
            case PUT_IF_ABSENT -> request.setPutIfAbsent(put(change));
            case REPLACE -> request.setReplace(replace(change));
            case REMOVE -> request.setRemove(AtomicRequest.Remove.getDefaultInstance());
            case REMOVE_VERSION ->
                request.setRemove(AtomicRequest.Remove.newBuilder()
                        .setExpected(change.expected().packed()));
            case TOUCH -> request.setTouch(touch(change));
            case ADD -> request.setAdd(AtomicRequest.Add.newBuilder().setDelta(change.number()));
            case COMPARE_AND_SET ->
                request.setCompareAndSet(AtomicRequest.CompareAndSet.newBuilder()
                        .setExpected(change.expectedNumber())
                        .setNumber(change.number()));
        };
    }

    private static AtomicRequest.Put put(AtomicChange change) {
        AtomicRequest.Put.Builder put =
                AtomicRequest.Put.newBuilder().setValue(UnsafeByteOperations.unsafeWrap(change.value()));
        ttlMillis(change).ifPresent(put::setTtlMillis);
        return put.build();
    }

    private static AtomicRequest.Replace replace(AtomicChange change) {
        AtomicRequest.Replace.Builder replace = AtomicRequest.Replace.newBuilder()
                .setExpected(change.expected().packed())
                .setValue(UnsafeByteOperations.unsafeWrap(change.value()));
        ttlMillis(change).ifPresent(replace::setTtlMillis);
        return replace.build();
    }

    private static AtomicRequest.Touch touch(AtomicChange change) {
        AtomicRequest.Touch.Builder touch = AtomicRequest.Touch.newBuilder();
        ttlMillis(change).ifPresent(touch::setTtlMillis);
        return touch.build();
    }

    private static OptionalLong ttlMillis(AtomicChange change) {
        return change.ttlMillis() > 0 ? OptionalLong.of(change.ttlMillis()) : OptionalLong.empty();
    }

    /** Builds the scan of a page, of at most so many entries. */
    public ScanRequest scan(KeyRange range, ScanScope scope, int limit, CallOptions call) {
        return page(range, scope, limit, call).build();
    }

    /** Builds the scan of a page of a snapshot. */
    public ScanRequest scanSnapshot(Version snapshot, KeyRange range, int limit, CallOptions call) {
        return page(range, ScanScope.CLUSTER, limit, call)
                .setSnapshot(snapshot.packed())
                .build();
    }

    private ScanRequest.Builder page(KeyRange range, ScanScope scope, int limit, CallOptions call) {
        if (limit < 1) {
            throw new InvalidRequestException(ErrorCode.SCAN_INVALID, "limit must be 1 or more, not " + limit);
        }
        ScanRequest.Builder request = ScanRequest.newBuilder()
                .setStart(bytes(range.start()))
                .setScope(scope == ScanScope.NODE ? ScanRequest.Scope.NODE : ScanRequest.Scope.CLUSTER)
                .setLimit(limit)
                .setMaxBytes(limits.maxPageBytes())
                .setPolicy(policy(withoutTimeToLive(call)));
        range.end().ifPresent(end -> request.setEnd(bytes(end)));
        return request;
    }

    /** Builds the request that opens a snapshot for the time of a lease. */
    public OpenSnapshotRequest openSnapshot(Duration lease, CallOptions call) {
        return OpenSnapshotRequest.newBuilder()
                .setLeaseMillis(lease.toMillis())
                .setPolicy(policy(withoutTimeToLive(call)))
                .build();
    }

    /** Builds the request that closes a snapshot. */
    public CloseSnapshotRequest closeSnapshot(Version snapshot) {
        return CloseSnapshotRequest.newBuilder().setVersion(snapshot.packed()).build();
    }

    /** Builds the question for the replicas of a key. */
    public LocateRequest locate(Key key) {
        return LocateRequest.newBuilder().setKey(bytes(key)).build();
    }

    /** Builds the request to repair these partitions; all of them if there is none. */
    public RepairRequest repair(Set<Integer> partitions) {
        return RepairRequest.newBuilder().addAllPartitions(partitions).build();
    }

    private static ByteString bytes(Key key) {
        return UnsafeByteOperations.unsafeWrap(key.unsafeBytes());
    }

    private static Policy policy(CallOptions options) {
        Policy.Builder message = Policy.newBuilder();
        options.policy().ifPresent(policy -> message.setAck(policy.ack()).setFrom(policy.from()));
        options.ordering()
                .ifPresent(ordering -> message.setOrdering(
                        switch (ordering) {
                            case REAL_TIME -> Ordering.REAL_TIME;
                            case LINEARIZABLE -> Ordering.LINEARIZABLE;
                        }));
        return message.build();
    }

    private static CallOptions withoutTimeToLive(CallOptions call) {
        if (call.timeToLive().isPresent()) {
            throw new InvalidRequestException(ErrorCode.TTL_INVALID, "a time to live is for put and putAll only");
        }
        return call;
    }
}
