package io.dht4j.transport.grpc.api.internal.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.dht4j.AtomicChange;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.MembershipChange;
import io.dht4j.NodeDiagnostics;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.security.Scope;
import io.dht4j.security.TokenGuard;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import io.dht4j.transport.grpc.api.internal.common.ApiProtocol;
import io.dht4j.transport.grpc.api.internal.common.MembershipMessages;
import io.dht4j.v1.AtomicRequest;
import io.dht4j.v1.AtomicResponse;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchGetResponse;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.BatchPutResponse;
import io.dht4j.v1.ChangeMembershipRequest;
import io.dht4j.v1.ChangeMembershipResponse;
import io.dht4j.v1.CloseSnapshotRequest;
import io.dht4j.v1.CloseSnapshotResponse;
import io.dht4j.v1.DeleteRequest;
import io.dht4j.v1.DeleteResponse;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.GetResponse;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.LocateResponse;
import io.dht4j.v1.MembershipRequest;
import io.dht4j.v1.MembershipResponse;
import io.dht4j.v1.OpenSnapshotRequest;
import io.dht4j.v1.OpenSnapshotResponse;
import io.dht4j.v1.PlanRebalanceRequest;
import io.dht4j.v1.PlanRebalanceResponse;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.PutResponse;
import io.dht4j.v1.RepairRequest;
import io.dht4j.v1.RepairResponse;
import io.dht4j.v1.RepairStatusRequest;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.ScanResponse;
import io.dht4j.v1.SlowCallsRequest;
import io.dht4j.v1.SlowCallsResponse;
import io.dht4j.v1.StatusRequest;
import io.dht4j.v1.StatusResponse;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The methods of the service. Each checks its request, calls the cluster and answers. None blocks. */
final class ApiService {

    private static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

    private final Cluster cluster;
    private final Limits limits;
    private final CallAdmission admission;
    private final TokenGuard guard;
    private final List<Bound<?>> methods = new ArrayList<>();

    ApiService(Cluster cluster, Limits limits, CallAdmission admission, TokenGuard guard) {
        this.cluster = cluster;
        this.limits = limits;
        this.admission = admission;
        this.guard = guard;
        counted(KeyValueGrpc.getGetMethod(), Scope.READ, GetRequest.parser(), this::get);
        counted(KeyValueGrpc.getPutMethod(), Scope.WRITE, PutRequest.parser(), this::put);
        counted(KeyValueGrpc.getDeleteMethod(), Scope.WRITE, DeleteRequest.parser(), this::delete);
        methods.add(
                new Bound<>(bytesIn(KeyValueGrpc.getBatchGetMethod()), Optional.of(Scope.READ), true, this::batchGet));
        methods.add(
                new Bound<>(bytesIn(KeyValueGrpc.getBatchPutMethod()), Optional.of(Scope.WRITE), true, this::batchPut));
        // Whether it reads or writes is known once the message has arrived.
        methods.add(new Bound<>(
                bytesIn(KeyValueGrpc.getAtomicMethod()),
                Optional.empty(),
                true,
                parsed(AtomicRequest.parser(), this::atomic)));
        counted(KeyValueGrpc.getScanMethod(), Scope.READ, ScanRequest.parser(), this::scan);
        counted(KeyValueGrpc.getOpenSnapshotMethod(), Scope.ADMIN, OpenSnapshotRequest.parser(), this::openSnapshot);
        counted(KeyValueGrpc.getCloseSnapshotMethod(), Scope.ADMIN, CloseSnapshotRequest.parser(), this::closeSnapshot);
        methods.add(new Bound<>(
                bytesIn(KeyValueGrpc.getLocateMethod()),
                Optional.of(Scope.READ),
                false,
                parsed(LocateRequest.parser(), this::locate)));
        methods.add(new Bound<>(
                bytesIn(KeyValueGrpc.getStatusMethod()),
                Optional.empty(),
                false,
                parsed(StatusRequest.parser(), this::status)));
        methods.add(new Bound<>(
                bytesIn(KeyValueGrpc.getRepairMethod()),
                Optional.of(Scope.ADMIN),
                false,
                parsed(RepairRequest.parser(), this::repair)));
        methods.add(new Bound<>(
                bytesIn(KeyValueGrpc.getRepairStatusMethod()),
                Optional.empty(),
                false,
                parsed(RepairStatusRequest.parser(), this::repairStatus)));
        administered(KeyValueGrpc.getMembershipMethod(), MembershipRequest.parser(), this::membership);
        administered(KeyValueGrpc.getPlanRebalanceMethod(), PlanRebalanceRequest.parser(), this::plan);
        administered(KeyValueGrpc.getChangeMembershipMethod(), ChangeMembershipRequest.parser(), this::change);
        methods.add(new Bound<>(
                bytesIn(KeyValueGrpc.getSlowCallsMethod()),
                Optional.of(Scope.READ),
                false,
                parsed(SlowCallsRequest.parser(), this::slowCalls)));
    }

    /** A method and the requirements of its calls. */
    private record Bound<A>(
            MethodDescriptor<byte[], A> descriptor, Optional<Scope> scope, boolean counted, ApiCall.Method<A> method) {}

    /** A method once its request has been parsed. */
    @FunctionalInterface
    private interface Parsed<Q, A> {

        void begin(ApiCall<A> call, Q request);
    }

    private <Q extends Message, A> void counted(
            MethodDescriptor<Q, A> descriptor, Scope scope, Parser<Q> parser, Parsed<Q, A> method) {
        methods.add(new Bound<>(bytesIn(descriptor), Optional.of(scope), true, parsed(parser, method)));
    }

    private <Q extends Message, A> void administered(
            MethodDescriptor<Q, A> descriptor, Parser<Q> parser, Parsed<Q, A> method) {
        methods.add(new Bound<>(bytesIn(descriptor), Optional.of(Scope.ADMIN), false, parsed(parser, method)));
    }

    private static <Q extends Message, A> ApiCall.Method<A> parsed(Parser<Q> parser, Parsed<Q, A> method) {
        return (call, request) -> method.begin(call, RequestBytes.message(parser, request));
    }

    private static <A> MethodDescriptor<byte[], A> bytesIn(MethodDescriptor<?, A> descriptor) {
        return descriptor.toBuilder(new RequestBytes(), descriptor.getResponseMarshaller())
                .build();
    }

    /** Returns the service for a server, with the schema that reflection shows. */
    ServerServiceDefinition definition() {
        ServiceDescriptor.Builder service = ServiceDescriptor.newBuilder(KeyValueGrpc.SERVICE_NAME)
                .setSchemaDescriptor(KeyValueGrpc.getServiceDescriptor().getSchemaDescriptor());
        methods.forEach(method -> service.addMethod(method.descriptor()));
        ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder(service.build());
        methods.forEach(method -> add(definition, method));
        return definition.build();
    }

    private <A> void add(ServerServiceDefinition.Builder definition, Bound<A> bound) {
        definition.addMethod(bound.descriptor(), (call, headers) -> begin(bound, call, headers));
    }

    private <A> ServerCall.Listener<byte[]> begin(Bound<A> bound, ServerCall<byte[], A> call, Metadata headers) {
        ApiStream stream = ApiStream.KEY.get();
        ApiCall<A> begun = new ApiCall<>(
                call,
                stream,
                bound.method(),
                guard,
                authorization(headers),
                Optional.ofNullable(Context.current().getDeadline()),
                trace(headers));
        try {
            begun.authorize(bound.scope());
        } catch (RuntimeException | Error e) {
            begun.fail(e);
            // After the answer, because this may end the connection.
            stream.refused();
            return begun;
        }
        try {
            stream.letIn();
            stream.enter(begun, bound.counted());
            begun.listed();
        } catch (RuntimeException | Error e) {
            // Its message is never requested.
            begun.fail(e);
            return begun;
        }
        // One more than expected, so that the library notices clients that send several.
        call.request(2);
        return begun;
    }

    private void get(ApiCall<GetResponse> call, GetRequest request) {
        Key key = ApiMessages.key(request.getKey());
        CallOptions callOptions = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        call.await(() -> cluster.get(key, callOptions), found -> {
            GetResponse.Builder answer = GetResponse.newBuilder();
            found.ifPresent(value -> {
                reserve(call, value.bytes().length);
                answer.setValue(ApiMessages.value(value));
            });
            call.answer(answer.build());
        });
    }

    private void put(ApiCall<PutResponse> call, PutRequest request) {
        Key key = ApiMessages.key(request.getKey());
        CallOptions policy = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        CallOptions callOptions =
                request.hasTtlMillis() ? ApiMessages.withTimeToLive(policy, request.getTtlMillis()) : policy;
        byte[] value = value(key, request.getValue());
        call.await(
                () -> cluster.put(key, value, callOptions),
                version -> call.answer(
                        PutResponse.newBuilder().setVersion(version.packed()).build()));
    }

    private void delete(ApiCall<DeleteResponse> call, DeleteRequest request) {
        Key key = ApiMessages.key(request.getKey());
        CallOptions callOptions = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        call.await(
                () -> cluster.delete(key, callOptions),
                version -> call.answer(
                        DeleteResponse.newBuilder().setVersion(version.packed()).build()));
    }

    private void batchGet(ApiCall<BatchGetResponse> call, byte[] bytes) {
        RequestBytes.requireAtMost(limits.maxBatchKeys(), BatchGetRequest.KEYS_FIELD_NUMBER, bytes);
        BatchGetRequest request = RequestBytes.message(BatchGetRequest.parser(), bytes);
        List<Key> keys = new ArrayList<>(request.getKeysCount());
        for (ByteString key : request.getKeysList()) {
            keys.add(ApiMessages.key(key));
        }
        CallOptions callOptions = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        call.await(() -> cluster.getAll(keys, callOptions), found -> {
            long size = 0;
            for (Map.Entry<Key, io.dht4j.Value> entry : found.entrySet()) {
                size += ApiMessages.bytesOf(entry.getKey(), entry.getValue());
            }
            requireBatchBytes(size);
            reserve(call, size);
            BatchGetResponse.Builder answer = BatchGetResponse.newBuilder();
            found.forEach((key, value) -> answer.addEntries(ApiMessages.entry(key, value)));
            call.answer(answer.build());
        });
    }

    private void batchPut(ApiCall<BatchPutResponse> call, byte[] bytes) {
        RequestBytes.requireAtMost(limits.maxBatchKeys(), BatchPutRequest.ITEMS_FIELD_NUMBER, bytes);
        BatchPutRequest request = RequestBytes.message(BatchPutRequest.parser(), bytes);
        Map<Key, byte[]> values = new LinkedHashMap<>();
        long size = 0;
        for (BatchPutRequest.Item item : request.getItemsList()) {
            Key key = ApiMessages.key(item.getKey());
            size += key.length() + (long) item.getValue().size();
            if (values.put(key, value(key, item.getValue())) != null) {
                throw new InvalidRequestException(ErrorCode.BAD_REQUEST, "key " + key + " stands twice in the batch");
            }
        }
        requireBatchBytes(size);
        CallOptions policy = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        CallOptions callOptions =
                request.hasTtlMillis() ? ApiMessages.withTimeToLive(policy, request.getTtlMillis()) : policy;
        call.await(
                () -> cluster.putAll(values, callOptions),
                (Version version) -> call.answer(BatchPutResponse.newBuilder()
                        .setVersion(version.packed())
                        .build()));
    }

    private void atomic(ApiCall<AtomicResponse> call, AtomicRequest request) {
        call.authorize(Optional.of(AtomicMessages.scope(request)));
        Key key = ApiMessages.key(request.getKey());
        AtomicChange change = AtomicMessages.change(request, limits.maxValueBytes());
        CallOptions policy = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        CallOptions callOptions = AtomicMessages.withRequestId(policy, request);
        call.await(() -> cluster.execute(request.getMap(), key, change, callOptions), result -> {
            result.current().ifPresent(current -> reserve(call, current.bytes().length));
            call.answer(AtomicMessages.message(result));
        });
    }

    private void scan(ApiCall<ScanResponse> call, ScanRequest request) {
        KeyRange range = ApiMessages.range(request);
        ScanScope scope = ApiMessages.scope(request);
        if (scope == ScanScope.NODE) {
            call.authorize(Optional.of(Scope.ADMIN));
        }
        long limit = ApiMessages.limit("limit", request.hasLimit(), request.getLimit());
        long maxBytes = ApiMessages.limit("max_bytes", request.hasMaxBytes(), request.getMaxBytes());
        CallOptions callOptions = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        if (request.hasSnapshot() && scope == ScanScope.NODE) {
            throw new InvalidRequestException(
                    ErrorCode.SCAN_INVALID, "a snapshot is one of the cluster: snapshot does not go with scope NODE");
        }
        Scan scan = request.hasSnapshot()
                ? cluster.snapshot(new Version(request.getSnapshot())).scan(range, callOptions)
                : cluster.scan(range, scope, callOptions);
        ApiScan.start(call, scan, admission, limit, maxBytes);
    }

    private void openSnapshot(ApiCall<OpenSnapshotResponse> call, OpenSnapshotRequest request) {
        Duration lease = request.hasLeaseMillis() ? ApiMessages.lease(request.getLeaseMillis()) : DEFAULT_LEASE;
        CallOptions callOptions = ApiMessages.withPolicy(call.options(), request.getPolicy(), cluster);
        call.await(
                () -> cluster.openSnapshot(lease, callOptions),
                snapshot -> call.answer(OpenSnapshotResponse.newBuilder()
                        .setVersion(snapshot.version().packed())
                        .build()));
    }

    private void closeSnapshot(ApiCall<CloseSnapshotResponse> call, CloseSnapshotRequest request) {
        call.await(
                () -> cluster.snapshot(new Version(request.getVersion())).close(call.options()),
                done -> call.answer(CloseSnapshotResponse.getDefaultInstance()));
    }

    private void locate(ApiCall<LocateResponse> call, LocateRequest request) {
        Key key = ApiMessages.key(request.getKey());
        call.await(() -> cluster.locate(key), placement -> call.answer(ApiMessages.located(placement)));
    }

    private void status(ApiCall<StatusResponse> call, StatusRequest request) {
        call.await(() -> cluster.operations().status(), status -> call.answer(ApiMessages.status(status)));
    }

    private void repair(ApiCall<RepairResponse> call, RepairRequest request) {
        Set<Integer> partitions = new HashSet<>(request.getPartitionsList());
        call.await(() -> cluster.operations().repair(partitions), status -> call.answer(ApiMessages.repair(status)));
    }

    private void repairStatus(ApiCall<RepairResponse> call, RepairStatusRequest request) {
        call.await(() -> cluster.operations().repairStatus(), status -> call.answer(ApiMessages.repair(status)));
    }

    private void membership(ApiCall<MembershipResponse> call, MembershipRequest request) {
        call.await(() -> cluster.membership().status(), status -> call.answer(MembershipMessages.message(status)));
    }

    private void plan(ApiCall<PlanRebalanceResponse> call, PlanRebalanceRequest request) {
        call.await(() -> cluster.membership().plan(), plan -> call.answer(MembershipMessages.message(plan)));
    }

    private void change(ApiCall<ChangeMembershipResponse> call, ChangeMembershipRequest request) {
        MembershipChange change = MembershipMessages.change(request);
        call.await(
                () -> cluster.membership().change(change),
                epoch -> call.answer(
                        ChangeMembershipResponse.newBuilder().setEpoch(epoch).build()));
    }

    private void slowCalls(ApiCall<SlowCallsResponse> call, SlowCallsRequest request) {
        NodeDiagnostics node = cluster.operations()
                .diagnostics()
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.BAD_REQUEST, "only a node shows its slow calls, and this process has none"));
        call.answer(SlowCallMessages.message(node.slowCalls()));
    }

    private byte[] value(Key key, ByteString value) {
        if (value.size() > limits.maxValueBytes()) {
            throw new InvalidRequestException(
                    ErrorCode.VALUE_TOO_LARGE,
                    "a value has at most " + limits.maxValueBytes() + " bytes, that of key " + key + " has "
                            + value.size());
        }
        return value.toByteArray();
    }

    private void requireBatchBytes(long size) {
        if (size > limits.maxBatchBytes()) {
            throw new InvalidRequestException(
                    ErrorCode.BATCH_TOO_LARGE,
                    "a batch has at most " + limits.maxBatchBytes() + " bytes of keys and values, this one has "
                            + size);
        }
    }

    private void reserve(ApiCall<?> call, long bytes) throws DhtException {
        if (!call.stream().reserve(bytes)) {
            throw admission.outOfBytes();
        }
    }

    private static Optional<TraceContext> trace(Metadata headers) {
        String parent = headers.get(ApiProtocol.TRACE_PARENT);
        if (parent == null) {
            return Optional.empty();
        }
        Iterable<String> states = headers.getAll(ApiProtocol.TRACE_STATE);
        return TraceContext.parse(parent, states == null ? null : String.join(",", states));
    }

    private static List<String> authorization(Metadata headers) {
        Iterable<String> values = headers.getAll(ApiProtocol.AUTHORIZATION);
        if (values == null) {
            return List.of();
        }
        List<String> all = new ArrayList<>(1);
        values.forEach(all::add);
        return all;
    }
}
