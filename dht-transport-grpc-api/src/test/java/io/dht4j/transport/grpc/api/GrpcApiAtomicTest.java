package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.v1.AtomicRequest;
import io.dht4j.v1.AtomicRequest.Add;
import io.dht4j.v1.AtomicRequest.Put;
import io.dht4j.v1.AtomicRequest.Read;
import io.dht4j.v1.AtomicRequest.Replace;
import io.dht4j.v1.AtomicRequest.Touch;
import io.dht4j.v1.AtomicResponse;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.Policy;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations on atomic keys of clients that have the schema only: what they get, and what is refused. */
@Timeout(60)
class GrpcApiAtomicTest extends SteeredApi {

    private static final ByteString TOO_LARGE = ByteString.copyFrom(new byte[AtomicChange.MAX_VALUE_BYTES + 1]);

    private static AtomicRequest.Builder request() {
        return AtomicRequest.newBuilder().setMap("map").setKey(bytes("k"));
    }

    private static AtomicRequest.Builder add() {
        return request().setAdd(Add.newBuilder().setDelta(-3));
    }

    private static AtomicRequest.Builder put(Put.Builder put) {
        return request().setPut(put);
    }

    /** The error of a request that is refused before the cluster is called. */
    private DhtException refusal(KeyValueGrpc.KeyValueFutureStub client, AtomicRequest.Builder request)
            throws Exception {
        DhtException failure = failure(client.atomic(request.build()));
        assertThat(cluster.changes).isEmpty();
        return failure;
    }

    private static DhtException failure(Future<?> call) throws Exception {
        try {
            Object result = call.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            StatusRuntimeException failure = (StatusRuntimeException) e.getCause();
            return ApiErrors.decode(failure.getStatus(), failure.getTrailers()).orElseThrow(() -> failure);
        }
    }

    @Test
    void anOperationHasItsIdAndItsDeadline() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        RequestId id = RequestId.next();
        Future<AtomicResponse> call = client.withDeadlineAfter(30, TimeUnit.SECONDS)
                .atomic(add().setRequestId(id.toString()).build());
        await().atMost(PATIENCE).until(() -> cluster.atomics.size() == 1);
        assertThat(cluster.changes).containsExactly(AtomicChange.add(-3));
        CallOptions options = cluster.options.remove();
        assertThat(options.requestId()).contains(id);
        assertThat(options.timeout()).isPresent();
        cluster.atomics
                .remove()
                .complete(new AtomicResult(true, true, new Version(7), OptionalLong.of(-3), Optional.empty()));
        assertThat(call.get(30, TimeUnit.SECONDS))
                .isEqualTo(AtomicResponse.newBuilder()
                        .setDone(true)
                        .setCreated(true)
                        .setVersion(7)
                        .setNumber(-3)
                        .build());
    }

    @Test
    void aRequestWithoutAChangeIsRefused() throws Exception {
        DhtException refused = refusal(start(GrpcApiOptions.defaults()), request());
        assertThat(refused.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refused)
                .hasMessage("change must be read, put, put_if_absent, replace, remove, touch, add or compare_and_set,"
                        + " and is missing");
    }

    @Test
    void fieldsThatAreNeededAreNamed() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        DhtException replace = refusal(client, request().setReplace(Replace.newBuilder()));
        assertThat(replace).hasMessage("replace.expected is missing");
        DhtException set = refusal(
                client,
                request()
                        .setCompareAndSet(
                                AtomicRequest.CompareAndSet.newBuilder().setExpected(0)));
        assertThat(set).hasMessage("compare_and_set.number is missing");
        assertThat(refusal(client, request().setTouch(AtomicRequest.Touch.getDefaultInstance()))
                        .code())
                .isEqualTo(ErrorCode.TTL_INVALID);
    }

    @Test
    void anIdOfAnotherFormIsRefused() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        for (String id : List.of("", "1", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", "7".repeat(1_000_000))) {
            DhtException refused = refusal(client, add().setRequestId(id));
            assertThat(refused.code()).isEqualTo(ErrorCode.BAD_REQUEST);
            assertThat(refused).hasMessageStartingWith("a request id must be a UUID of version 7");
            assertThat(refused.getMessage()).hasSizeLessThan(300);
        }
    }

    @Test
    void valuesKeysAndTimesOutOfRangeAreRefused() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client =
                start(GrpcApiOptions.defaults().withMaxValueBytes(1 << 20).withMaxBodyBytesInFlight(4 << 20));
        DhtException large = refusal(client, put(Put.newBuilder().setValue(TOO_LARGE)));
        assertThat(large.code()).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        assertThat(large).hasMessage("the value of an atomic key has at most 65536 bytes, this one has 65537");
        List<AtomicRequest.Builder> others = List.of(
                request().setPutIfAbsent(Put.newBuilder().setValue(TOO_LARGE)),
                request().setReplace(Replace.newBuilder().setExpected(1).setValue(TOO_LARGE)));
        for (AtomicRequest.Builder other : others) {
            assertThat(refusal(client, other).code()).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        }
        for (int length : new int[] {0, Key.MAX_LENGTH + 1}) {
            assertThat(refusal(client, add().setKey(ByteString.copyFrom(new byte[length])))
                            .code())
                    .isEqualTo(ErrorCode.KEY_INVALID);
        }
        for (long ttl : new long[] {0, -1, CallOptions.MAX_TIME_TO_LIVE.toMillis() + 1}) {
            List<AtomicRequest.Builder> requests = List.of(
                    put(Put.newBuilder().setTtlMillis(ttl)),
                    request().setPutIfAbsent(Put.newBuilder().setTtlMillis(ttl)),
                    request().setReplace(Replace.newBuilder().setExpected(1).setTtlMillis(ttl)),
                    request().setTouch(Touch.newBuilder().setTtlMillis(ttl)));
            for (AtomicRequest.Builder request : requests) {
                assertThat(refusal(client, request).code()).isEqualTo(ErrorCode.TTL_INVALID);
            }
        }
        assertThat(refusal(client, add().setPolicy(Policy.newBuilder().setAck(2)))
                        .code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
    }

    @Test
    void theSmallestLimitOfValuesCounts() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults().withMaxValueBytes(1000));
        DhtException large = refusal(client, put(Put.newBuilder().setValue(TOO_LARGE.substring(0, 1001))));
        assertThat(large.code()).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        assertThat(large).hasMessageContaining("at most 1000 bytes");
    }

    @Test
    void anAnswerThatDoesNotFitBesideOthersIsRefused() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client =
                start(GrpcApiOptions.defaults().withMaxValueBytes(1000).withMaxBodyBytesInFlight(10_000));
        Future<AtomicResponse> read =
                client.atomic(request().setRead(Read.getDefaultInstance()).build());
        await().atMost(PATIENCE).until(() -> cluster.atomics.size() == 1);
        cluster.atomics
                .remove()
                .complete(new AtomicResult(
                        true,
                        false,
                        new Version(7),
                        OptionalLong.empty(),
                        Optional.of(SteeredCluster.value(AtomicChange.MAX_VALUE_BYTES))));
        assertThat(failure(read).code()).isEqualTo(ErrorCode.OVERLOADED);
    }
}
