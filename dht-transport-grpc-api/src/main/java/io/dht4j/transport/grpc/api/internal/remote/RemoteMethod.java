package io.dht4j.transport.grpc.api.internal.remote;

import io.dht4j.AtomicResult;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeStatus;
import io.dht4j.RebalancePlan;
import io.dht4j.RepairStatus;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi.Located;
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
import io.dht4j.v1.StatusRequest;
import io.dht4j.v1.StatusResponse;
import io.grpc.MethodDescriptor;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A method of the public API whose answer is one message.
 *
 * @param descriptor the method
 * @param ifTooLarge the error if a message is larger than either side accepts
 * @param read converts the answer
 * @param <Q> the request
 * @param <A> the answer
 * @param <R> the caller's result
 */
public record RemoteMethod<Q, A, R>(MethodDescriptor<Q, A> descriptor, ErrorCode ifTooLarge, Function<A, R> read) {

    public static final RemoteMethod<GetRequest, GetResponse, Optional<Value>> GET =
            new RemoteMethod<>(KeyValueGrpc.getGetMethod(), ErrorCode.VALUE_TOO_LARGE, RemoteAnswers::found);

    public static final RemoteMethod<PutRequest, PutResponse, Version> PUT = new RemoteMethod<>(
            KeyValueGrpc.getPutMethod(), ErrorCode.VALUE_TOO_LARGE, answer -> new Version(answer.getVersion()));

    public static final RemoteMethod<DeleteRequest, DeleteResponse, Version> DELETE = new RemoteMethod<>(
            KeyValueGrpc.getDeleteMethod(), ErrorCode.BAD_REQUEST, answer -> new Version(answer.getVersion()));

    public static final RemoteMethod<BatchGetRequest, BatchGetResponse, Map<Key, Value>> GET_ALL =
            new RemoteMethod<>(KeyValueGrpc.getBatchGetMethod(), ErrorCode.BATCH_TOO_LARGE, RemoteAnswers::values);

    public static final RemoteMethod<BatchPutRequest, BatchPutResponse, Version> PUT_ALL = new RemoteMethod<>(
            KeyValueGrpc.getBatchPutMethod(), ErrorCode.BATCH_TOO_LARGE, answer -> new Version(answer.getVersion()));

    public static final RemoteMethod<AtomicRequest, AtomicResponse, AtomicResult> EXECUTE =
            new RemoteMethod<>(KeyValueGrpc.getAtomicMethod(), ErrorCode.VALUE_TOO_LARGE, RemoteAnswers::executed);

    public static final RemoteMethod<OpenSnapshotRequest, OpenSnapshotResponse, Version> OPEN_SNAPSHOT =
            new RemoteMethod<>(
                    KeyValueGrpc.getOpenSnapshotMethod(),
                    ErrorCode.INTERNAL,
                    answer -> new Version(answer.getVersion()));

    public static final RemoteMethod<CloseSnapshotRequest, CloseSnapshotResponse, Boolean> CLOSE_SNAPSHOT =
            new RemoteMethod<>(KeyValueGrpc.getCloseSnapshotMethod(), ErrorCode.INTERNAL, answer -> true);

    public static final RemoteMethod<LocateRequest, LocateResponse, Located> LOCATE =
            new RemoteMethod<>(KeyValueGrpc.getLocateMethod(), ErrorCode.INTERNAL, RemoteAnswers::located);

    public static final RemoteMethod<StatusRequest, StatusResponse, NodeStatus> STATUS =
            new RemoteMethod<>(KeyValueGrpc.getStatusMethod(), ErrorCode.INTERNAL, RemoteAnswers::status);

    public static final RemoteMethod<RepairRequest, RepairResponse, RepairStatus> REPAIR =
            new RemoteMethod<>(KeyValueGrpc.getRepairMethod(), ErrorCode.INTERNAL, RemoteAnswers::repair);

    public static final RemoteMethod<RepairStatusRequest, RepairResponse, RepairStatus> REPAIR_STATUS =
            new RemoteMethod<>(KeyValueGrpc.getRepairStatusMethod(), ErrorCode.INTERNAL, RemoteAnswers::repair);

    public static final RemoteMethod<MembershipRequest, MembershipResponse, MembershipStatus> MEMBERSHIP =
            new RemoteMethod<>(KeyValueGrpc.getMembershipMethod(), ErrorCode.INTERNAL, MembershipMessages::status);

    public static final RemoteMethod<PlanRebalanceRequest, PlanRebalanceResponse, RebalancePlan> PLAN =
            new RemoteMethod<>(KeyValueGrpc.getPlanRebalanceMethod(), ErrorCode.INTERNAL, MembershipMessages::plan);

    public static final RemoteMethod<ChangeMembershipRequest, ChangeMembershipResponse, Long> CHANGE =
            new RemoteMethod<>(
                    KeyValueGrpc.getChangeMembershipMethod(),
                    ErrorCode.BAD_REQUEST,
                    ChangeMembershipResponse::getEpoch);
}
