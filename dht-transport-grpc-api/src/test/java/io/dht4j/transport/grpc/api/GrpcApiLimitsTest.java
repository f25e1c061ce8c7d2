package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Version;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.DeleteRequest;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.GetResponse;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.ScanResponse;
import io.dht4j.v1.StatusRequest;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node refuses, what it cuts off, and that nothing of it stays behind. */
@Timeout(60)
class GrpcApiLimitsTest extends SteeredApi {

    private static final GetRequest GET =
            GetRequest.newBuilder().setKey(bytes("k")).build();

    private static ErrorCode code(Future<?> call) throws Exception {
        StatusRuntimeException failure = failure(call);
        return ApiErrors.decode(failure.getStatus(), failure.getTrailers())
                .orElseThrow(() -> failure)
                .code();
    }

    private static StatusRuntimeException failure(Future<?> call) throws Exception {
        try {
            Object result = call.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            return (StatusRuntimeException) e.getCause();
        }
    }

    private void idle() {
        await().atMost(PATIENCE).until(() -> api.server().callsInFlight() == 0);
        assertThat(api.server().bytesInFlight()).isZero();
    }

    @Test
    void statusIsServedAtTheInFlightLimit() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults().withMaxInFlight(2));
        Future<GetResponse> first = client.get(GET);
        Future<GetResponse> second = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 2);
        assertThat(code(client.get(GET))).isEqualTo(ErrorCode.OVERLOADED);
        client.status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS);
        client.locate(LocateRequest.newBuilder().setKey(bytes("k")).build()).get(30, TimeUnit.SECONDS);
        cluster.gets.forEach(get -> get.complete(Optional.of(SteeredCluster.value(10))));
        first.get(30, TimeUnit.SECONDS);
        second.get(30, TimeUnit.SECONDS);
        idle();
        Future<GetResponse> third = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 3);
        cluster.gets.forEach(get -> get.complete(Optional.empty()));
        assertThat(third.get(30, TimeUnit.SECONDS).hasValue()).isFalse();
    }

    @Test
    void requestBytesCountAsTheyArrive() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client =
                start(GrpcApiOptions.defaults().withMaxValueBytes(1 << 20).withMaxBodyBytesInFlight(3 << 20));
        PutRequest put = PutRequest.newBuilder()
                .setKey(bytes("k"))
                .setValue(UnsafeByteOperations.unsafeWrap(new byte[1 << 20]))
                .build();
        Future<?> first = client.put(put);
        Future<?> second = client.put(put);
        await().atMost(PATIENCE).until(() -> cluster.writes.size() == 2);
        assertThat(api.server().bytesInFlight()).isBetween(2L << 20, (2L << 20) + 1000);
        assertThat(code(client.put(put))).isEqualTo(ErrorCode.OVERLOADED);
        cluster.writes.forEach(write -> write.complete(Version.of(1, 1)));
        first.get(30, TimeUnit.SECONDS);
        second.get(30, TimeUnit.SECONDS);
        idle();
        Future<?> third = client.put(put);
        await().atMost(PATIENCE).until(() -> cluster.writes.size() == 3);
        cluster.writes.forEach(write -> write.complete(Version.of(1, 2)));
        third.get(30, TimeUnit.SECONDS);
    }

    @Test
    void answerBytesCountUntilTheClientHasThem() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client =
                start(GrpcApiOptions.defaults().withMaxValueBytes(1 << 20).withMaxBodyBytesInFlight(5 << 20));
        CompletableFuture<Status> closed = new CompletableFuture<>();
        ClientCall<GetRequest, GetResponse> unread = askAndDoNotRead(closed);
        await().atMost(PATIENCE).until(() -> api.server().bytesInFlight() >= 4 << 20);

        Future<GetResponse> other = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        cluster.gets.remove().complete(Optional.of(SteeredCluster.value(2 << 20)));
        assertThat(code(other)).isEqualTo(ErrorCode.OVERLOADED);

        unread.request(2);
        assertThat(closed.get(30, TimeUnit.SECONDS).isOk()).isTrue();
        idle();
    }

    @Test
    void slowClientLosesItsCallAndKeepsItsConnection() throws Exception {
        start(GrpcApiOptions.defaults().withWriteTimeout(Duration.ofMillis(100)));
        CompletableFuture<Status> closed = new CompletableFuture<>();
        ClientCall<GetRequest, GetResponse> unread = askAndDoNotRead(closed);
        idle();
        unread.request(2);
        assertThat(closed.get(30, TimeUnit.SECONDS).isOk()).isFalse();
        KeyValueGrpc.newFutureStub(channels.get(channels.size() - 1))
                .status(StatusRequest.getDefaultInstance())
                .get(30, TimeUnit.SECONDS);
    }

    /** Asks for a value that is larger than what a connection takes unread. */
    private ClientCall<GetRequest, GetResponse> askAndDoNotRead(CompletableFuture<Status> closed) {
        ClientCall<GetRequest, GetResponse> call =
                channel().newCall(KeyValueGrpc.getGetMethod(), io.grpc.CallOptions.DEFAULT);
        call.start(closing(closed), new Metadata());
        call.sendMessage(GET);
        call.halfClose();
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        cluster.gets.remove().complete(Optional.of(SteeredCluster.value(4 << 20)));
        return call;
    }

    private static <T> ClientCall.Listener<T> closing(CompletableFuture<Status> closed) {
        return new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
                closed.complete(status);
            }
        };
    }

    @Test
    void scanOfAClientThatReadsNothingIsCutOff() throws Exception {
        start(GrpcApiOptions.defaults().withWriteTimeout(Duration.ofMillis(500)));
        ClientCall<ScanRequest, ScanResponse> hanging =
                channel().newCall(KeyValueGrpc.getScanMethod(), io.grpc.CallOptions.DEFAULT);
        CompletableFuture<Status> closed = new CompletableFuture<>();
        hanging.start(closing(closed), new Metadata());
        hanging.sendMessage(ScanRequest.getDefaultInstance());
        hanging.halfClose();
        await().atMost(PATIENCE).until(() -> cluster.pages.get() > 0);
        idle();
        // Of 100 kB each: what the connection's window and one page hold.
        assertThat(cluster.pages.get()).isLessThan(40);
        await().atMost(PATIENCE).until(() -> cluster.openScans.get() == 0);
        hanging.request(1000);
        assertThat(closed.get(30, TimeUnit.SECONDS).isOk()).isFalse();
    }

    @Test
    void scanFollowsItsClientAndStopsOnCancel() {
        start(GrpcApiOptions.defaults());
        ClientCall<ScanRequest, ScanResponse> scan =
                channel().newCall(KeyValueGrpc.getScanMethod(), io.grpc.CallOptions.DEFAULT);
        AtomicInteger entries = new AtomicInteger();
        scan.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(ScanResponse message) {
                        entries.addAndGet(message.getEntriesCount());
                        scan.request(1);
                    }
                },
                new Metadata());
        scan.request(1);
        scan.sendMessage(ScanRequest.getDefaultInstance());
        scan.halfClose();
        await().atMost(PATIENCE).until(() -> entries.get() > 20_000);
        scan.cancel("enough", null);
        await().atMost(PATIENCE).until(() -> cluster.openScans.get() == 0);
        idle();
    }

    @Test
    void aScanEndsWithAnErrorBeforeAndAfterItsFirstEntries() {
        start(GrpcApiOptions.defaults());
        KeyValueGrpc.KeyValueBlockingStub client =
                KeyValueGrpc.newBlockingStub(channel()).withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        for (int page : new int[] {1, 3}) {
            cluster.failingPage = page;
            AtomicInteger entries = new AtomicInteger();
            assertThatThrownBy(() -> client.scan(ScanRequest.getDefaultInstance())
                            .forEachRemaining(message -> entries.addAndGet(message.getEntriesCount())))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failure -> assertThat(ApiErrors.decode(failure.getStatus(), failure.getTrailers())
                                            .orElseThrow()
                                            .code())
                                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS));
            assertThat(entries.get()).isEqualTo((page - 1) * 100);
        }
        assertThat(cluster.openScans.get()).isZero();
    }

    @Test
    void aScanWhosePageDoesNotFitBesideOthersFails() throws Exception {
        start(GrpcApiOptions.defaults().withMaxValueBytes(1000).withMaxBodyBytesInFlight(100_000));
        KeyValueGrpc.KeyValueBlockingStub client =
                KeyValueGrpc.newBlockingStub(channel()).withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        cluster.scannedValueBytes = 20_000;
        try (Context.CancellableContext reader = Context.current().withCancellation()) {
            // One passes whatever its size; who takes one message of it and no more holds the page.
            assertThat(reader.wrap(() -> client.scan(ScanRequest.getDefaultInstance())
                                    .hasNext())
                            .call())
                    .isTrue();
            assertThatThrownBy(
                            () -> client.scan(ScanRequest.getDefaultInstance()).hasNext())
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failure -> assertThat(failure.getStatus().getCode())
                                    .isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
        }
        await().atMost(PATIENCE).until(() -> cluster.openScans.get() == 0);
        await().atMost(PATIENCE).until(() -> api.server().bytesInFlight() == 0);
    }

    @Test
    void requestThatDoesNotArriveTimesOut() throws Exception {
        start(GrpcApiOptions.defaults().withBodyTimeout(Duration.ofMillis(100)));
        // Of a method that takes one message, a client sends nothing before it has the message.
        ClientCall<PutRequest, ?> slow =
                channel().newCall(streaming(KeyValueGrpc.getPutMethod()), io.grpc.CallOptions.DEFAULT);
        CompletableFuture<Status> closed = new CompletableFuture<>();
        slow.start(closing(closed), new Metadata());
        slow.request(1);
        Status status = closed.get(30, TimeUnit.SECONDS);
        assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription()).contains("did not arrive");
    }

    @Test
    void callsThatDoNotCountAreBoundedToo() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client =
                start(GrpcApiOptions.defaults().withMaxInFlight(1).withBodyTimeout(Duration.ofMinutes(1)));
        List<ClientCall<?, ?>> hanging = new ArrayList<>();
        ManagedChannel channel = channel();
        for (int i = 0; i < 100; i++) {
            ClientCall<StatusRequest, ?> call =
                    channel.newCall(streaming(KeyValueGrpc.getStatusMethod()), io.grpc.CallOptions.DEFAULT);
            call.start(closing(new CompletableFuture<>()), new Metadata());
            hanging.add(call);
        }
        await().atMost(PATIENCE).until(() -> api.server().cheapCallsInFlight() == 100);
        assertThat(code(client.status(StatusRequest.getDefaultInstance()))).isEqualTo(ErrorCode.OVERLOADED);
        Future<GetResponse> get = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        cluster.gets.remove().complete(Optional.empty());
        get.get(30, TimeUnit.SECONDS);
        hanging.forEach(call -> call.cancel("enough", null));
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(
                        () -> client.status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS));
    }

    private static <Q, A> MethodDescriptor<Q, A> streaming(MethodDescriptor<Q, A> method) {
        return method.toBuilder()
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .build();
    }

    @Test
    void aRequestWithoutAMessageIsRefused() throws Exception {
        start(GrpcApiOptions.defaults());
        ClientCall<GetRequest, GetResponse> call =
                channel().newCall(streaming(KeyValueGrpc.getGetMethod()), io.grpc.CallOptions.DEFAULT);
        CompletableFuture<Status> closed = new CompletableFuture<>();
        call.start(closing(closed), new Metadata());
        call.request(1);
        call.halfClose();
        assertThat(closed.get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void aRequestThatStopsFittingHalfWayIsRefusedWithItsError() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client =
                start(GrpcApiOptions.defaults().withMaxValueBytes(20 << 20).withMaxBodyBytesInFlight(24 << 20));
        PutRequest.Builder put = PutRequest.newBuilder().setKey(bytes("k"));
        Future<?> first = client.put(put.setValue(UnsafeByteOperations.unsafeWrap(new byte[20 << 20]))
                .build());
        await().atMost(PATIENCE).until(() -> cluster.writes.size() == 1);
        for (int i = 0; i < 5; i++) {
            assertThat(code(client.put(put.build()))).isEqualTo(ErrorCode.OVERLOADED);
        }
        cluster.writes.forEach(write -> write.complete(Version.of(1, 1)));
        first.get(30, TimeUnit.SECONDS);
        idle();
        assertThat(cluster.writes).hasSize(1);
    }

    @Test
    void unexpectedFaultsBecomeInternalErrors() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        assertThat(code(client.delete(
                        DeleteRequest.newBuilder().setKey(bytes("k")).build())))
                .isEqualTo(ErrorCode.INTERNAL);
        assertThat(code(client.batchGet(
                        BatchGetRequest.newBuilder().addKeys(bytes("k")).build())))
                .isEqualTo(ErrorCode.INTERNAL);
        StatusRuntimeException failure = failure(client.batchPut(BatchPutRequest.getDefaultInstance()));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
        assertThat(failure.getStatus().getDescription()).isEqualTo("putAll: 1 of 2 needed replicas confirmed");
    }

    @Test
    void theDeadlineIsTheClustersTimeout() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        client.withDeadlineAfter(20, TimeUnit.SECONDS).get(GET);
        await().atMost(PATIENCE).until(() -> cluster.options.size() == 1);
        assertThat(cluster.options.remove().timeout().orElseThrow())
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20).minusMillis(50));
        client.withDeadlineAfter(10, TimeUnit.DAYS).get(GET);
        await().atMost(PATIENCE).until(() -> cluster.options.size() == 1);
        assertThat(cluster.options.remove().timeout()).contains(CallOptions.MAX_TIMEOUT);
        client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.options.size() == 1);
        assertThat(cluster.options.remove().timeout()).isEmpty();

        Future<?> brief = client.withDeadlineAfter(200, TimeUnit.MILLISECONDS).get(GET);
        assertThat(failure(brief).getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        await().atMost(PATIENCE).until(() -> api.server().callsInFlight() == 3);
    }

    /** Else an answered call would cancel what its cluster still sends to replicas over gRPC. */
    @Test
    void clusterWorkOutlivesItsCall() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        CompletableFuture<Context> seen = new CompletableFuture<>();
        cluster.onNextGet = () -> seen.complete(Context.current());
        Future<GetResponse> call =
                client.withDeadlineAfter(30, TimeUnit.SECONDS).get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        cluster.gets.remove().complete(Optional.empty());
        call.get(30, TimeUnit.SECONDS);
        idle();
        assertThat(seen.join().isCancelled()).isFalse();
        assertThat(seen.join().getDeadline()).isNull();
    }

    @Test
    void optionsNameWhatIsWrong() {
        api = GrpcApi.listening("127.0.0.1", 0, cluster, GrpcApiOptions.defaults());
        assertThatThrownBy(() -> GrpcApiOptions.defaults().withMaxInFlight(0))
                .hasMessage("maxInFlight must be 1 to 1000000, not 0");
        assertThatThrownBy(() -> GrpcApiOptions.defaults().withMaxBodyBytesInFlight(1000))
                .hasMessageContaining("maxBodyBytesInFlight must be at least maxValueBytes, which is 16777216");
        assertThatThrownBy(() -> GrpcApiOptions.defaults().withIdleTimeout(Duration.ZERO))
                .hasMessageContaining("idleTimeout must be 1s to 2h, not 0s");
        assertThatThrownBy(() -> GrpcApi.listening("", 0, cluster, GrpcApiOptions.defaults()))
                .hasMessageContaining("host");
        assertThatThrownBy(() -> GrpcApi.listening("127.0.0.1", 70_000, cluster, GrpcApiOptions.defaults()))
                .hasMessageContaining("port must be 0 to 65535, not 70000");
        assertThatThrownBy(() -> GrpcRemoteOptions.defaults().withToken("a secret"))
                .hasMessageContaining("token must be")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> GrpcRemoteOptions.defaults().withMaxInFlightBytes(1024))
                .hasMessage("maxInFlightBytes must be at least maxValueBytes, which is 16777216, not 1024");
        assertThatThrownBy(() -> GrpcRemoteOptions.defaults().withConnectTimeout(Duration.ZERO))
                .hasMessageContaining("connectTimeout must be");
    }
}
