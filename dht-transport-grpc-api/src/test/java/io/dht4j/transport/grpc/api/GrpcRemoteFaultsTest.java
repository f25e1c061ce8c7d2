package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.AtomicChange;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.GetResponse;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.LocateResponse;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.ScanResponse;
import io.dht4j.v1.StatusRequest;
import io.dht4j.v1.StatusResponse;
import io.grpc.Context;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client makes of nodes that go, come back, or answer what they should not. */
@Timeout(60)
class GrpcRemoteFaultsTest {

    private static final Key KEY = Key.of("k");
    private static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(PATIENCE);

    private final SteeredCluster cluster = new SteeredCluster();
    private final GrpcRemote client =
            GrpcRemote.create(GrpcRemoteOptions.defaults().withMaxInFlight(3).withMaxPageBytes(50_000));

    @AfterEach
    void close() {
        client.close();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("dht4j-grpc-remote")));
    }

    private static ErrorCode code(CompletionStage<?> call) throws InterruptedException, TimeoutException {
        return failure(call).code();
    }

    private static DhtException failure(CompletionStage<?> call) throws InterruptedException, TimeoutException {
        try {
            Object result = call.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            return (DhtException) DhtException.unwrap(e);
        }
    }

    private GrpcApi listening(int port) {
        return GrpcApi.listening(
                "127.0.0.1", port, cluster, GrpcApiOptions.defaults().withDrainTimeout(Duration.ZERO));
    }

    @Test
    void aNodeThatIsBackIsUsedByTheNextCall() throws Exception {
        int port;
        String address;
        try (GrpcApi api = listening(FreePorts.find())) {
            port = api.port();
            address = "127.0.0.1:" + port;
            client.status(address, OPTIONS).toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        for (int restart = 0; restart < 3; restart++) {
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(code(client.status(address, OPTIONS))).isEqualTo(ErrorCode.NOT_SENT));
            for (int i = 0; i < 20; i++) {
                assertThat(code(client.status(address, OPTIONS))).isEqualTo(ErrorCode.NOT_SENT);
            }
            GrpcApi api = listening(port);
            assertThat(client.status(address, OPTIONS)
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS)
                            .id()
                            .value())
                    .isEqualTo("n1");
            api.close();
        }
    }

    @Test
    void everyCallOfSeveralThreadsToANodeThatIsGoneEnds() throws Exception {
        String address = "127.0.0.1:" + FreePorts.find();
        ExecutorService callers = Executors.newFixedThreadPool(3);
        try {
            Callable<Void> calls = () -> {
                for (int i = 0; i < 2_000; i++) {
                    assertThat(code(client.status(address, OPTIONS))).isEqualTo(ErrorCode.NOT_SENT);
                }
                return null;
            };
            for (Future<Void> caller : callers.invokeAll(List.of(calls, calls, calls))) {
                caller.get();
            }
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    void moreCallsThanAllowedAreRefusedAndTheirRoomComesBack() throws Exception {
        try (GrpcApi api = listening(0)) {
            String address = "127.0.0.1:" + api.port();
            List<CompletionStage<Version>> puts = List.of(
                    client.put(address, KEY, new byte[10], OPTIONS),
                    client.put(address, KEY, new byte[10], OPTIONS),
                    client.put(address, KEY, new byte[10], OPTIONS));
            assertThat(code(client.status(address, OPTIONS))).isEqualTo(ErrorCode.OVERLOADED);
            await().atMost(PATIENCE).until(() -> cluster.writes.size() == 3);
            cluster.writes.forEach(write -> write.complete(Version.of(1, 1)));
            for (CompletionStage<Version> put : puts) {
                put.toCompletableFuture().get(30, TimeUnit.SECONDS);
            }
            client.status(address, OPTIONS).toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void theSmallestBudgetOfBytesAdmitsTheLargestValue() throws Exception {
        String address = "127.0.0.1:" + FreePorts.find();
        try (GrpcRemote small = GrpcRemote.create(
                GrpcRemoteOptions.defaults().withMaxValueBytes(2000).withMaxInFlightBytes(2000))) {
            assertThat(code(small.put(address, KEY, new byte[2000], OPTIONS))).isEqualTo(ErrorCode.NOT_SENT);
            assertThat(code(small.put(address, KEY, new byte[2001], OPTIONS))).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
            assertThat(code(small.execute(address, "map", KEY, AtomicChange.put(new byte[2000], 0), OPTIONS)))
                    .isEqualTo(ErrorCode.NOT_SENT);
        }
    }

    @Test
    void memoryShortageFailsOneCallAndFreesItsRoom() throws Exception {
        String address = "127.0.0.1:" + FreePorts.find();
        Map<Key, byte[]> values = new AbstractMap<>() {
            @Override
            public Set<Entry<Key, byte[]>> entrySet() {
                return Map.of(KEY, new byte[1]).entrySet();
            }

            @Override
            public void forEach(BiConsumer<? super Key, ? super byte[]> action) {
                throw new OutOfMemoryError("while the request is built");
            }
        };
        for (int i = 0; i < 4; i++) {
            assertThat(code(client.putAll(address, values, OPTIONS))).isEqualTo(ErrorCode.INTERNAL);
        }
        assertThat(code(client.status(address, OPTIONS))).isEqualTo(ErrorCode.NOT_SENT);
    }

    @Test
    void aScanTakesItsShareAndLeavesNothingRunning() throws Exception {
        try (GrpcApi api = listening(0)) {
            String address = "127.0.0.1:" + api.port();
            // Entries of 1010 bytes in a range without an end.
            assertThat(client.scan(address, KeyRange.all(), ScanScope.CLUSTER, 10, OPTIONS)
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS))
                    .hasSize(10);
            assertThat(client.scan(address, KeyRange.all(), ScanScope.CLUSTER, 10_000, OPTIONS)
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS))
                    .hasSize(50);
            await().atMost(PATIENCE).until(() -> api.server().callsInFlight() == 0);
            assertThat(cluster.openScans.get()).isZero();
            assertThat(api.server().bytesInFlight()).isZero();
        }
    }

    @Test
    void aCallOfAServerThatEndsDoesNotEndTheClients() throws Exception {
        try (GrpcApi api = listening(0)) {
            String address = "127.0.0.1:" + api.port();
            Context.CancellableContext outer = Context.ROOT.withCancellation();
            CompletionStage<Version> put = outer.call(() -> client.put(address, KEY, new byte[1], OPTIONS));
            await().atMost(PATIENCE).until(() -> cluster.writes.size() == 1);
            outer.cancel(null);
            cluster.writes.remove().complete(Version.of(7, 7));
            assertThat(put.toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo(Version.of(7, 7));
        }
    }

    @Test
    void optionsThatMakeNoSenseAreRefusedUnsent() throws Exception {
        String address = "127.0.0.1:" + FreePorts.find();
        CallOptions withTtl = OPTIONS.withTimeToLive(Duration.ofSeconds(1));
        assertThat(code(client.get(address, KEY, withTtl))).isEqualTo(ErrorCode.TTL_INVALID);
        assertThat(code(client.delete(address, KEY, withTtl))).isEqualTo(ErrorCode.TTL_INVALID);
        assertThat(code(client.execute(address, "map", KEY, AtomicChange.add(1), withTtl)))
                .isEqualTo(ErrorCode.TTL_INVALID);
        assertThat(code(client.scan(address, KeyRange.all(), ScanScope.CLUSTER, 0, OPTIONS)))
                .isEqualTo(ErrorCode.SCAN_INVALID);
        assertThat(code(client.put(address, KEY, new byte[(16 << 20) + 1], OPTIONS)))
                .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
    }

    /** Some other server, or one that is wrong. */
    private static final class Odd extends KeyValueGrpc.KeyValueImplBase {

        @Override
        public void get(GetRequest request, StreamObserver<GetResponse> answer) {
            answer.onError(
                    Status.PERMISSION_DENIED.withDescription("some proxy").asException());
        }

        @Override
        public void locate(LocateRequest request, StreamObserver<LocateResponse> answer) {
            answer.onNext(
                    LocateResponse.newBuilder().addReplicas("no node's name").build());
            answer.onCompleted();
        }

        @Override
        public void status(StatusRequest request, StreamObserver<StatusResponse> answer) {
            answer.onNext(StatusResponse.getDefaultInstance());
            answer.onCompleted();
        }

        @Override
        public void scan(ScanRequest request, StreamObserver<ScanResponse> answer) {
            // Does not heed the limits.
            ScanResponse.Builder page = ScanResponse.newBuilder();
            for (int i = 0; i < 100; i++) {
                page.addEntriesBuilder().setKey(GrpcApiNodes.bytes("k" + i));
            }
            for (int i = 0; i < 100; i++) {
                answer.onNext(page.build());
            }
        }
    }

    @Test
    void answersThatAreNotThisApisAreOfUnknownOutcome() throws Exception {
        Server odd = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(new Odd())
                .build()
                .start();
        try {
            String address = "127.0.0.1:" + odd.getPort();
            DhtException get = failure(client.get(address, KEY, OPTIONS));
            assertThat(get.code()).isEqualTo(ErrorCode.INTERNAL);
            assertThat(get).hasMessageContaining("some proxy").hasMessageContaining(address);
            assertThat(code(client.put(address, KEY, new byte[1], OPTIONS)))
                    .as("no such method")
                    .isEqualTo(ErrorCode.INTERNAL);
            assertThat(code(client.locate(address, KEY, OPTIONS))).isEqualTo(ErrorCode.INTERNAL);
            assertThat(code(client.status(address, OPTIONS))).isEqualTo(ErrorCode.INTERNAL);
            List<KeyValue> scanned = client.scan(address, KeyRange.all(), ScanScope.CLUSTER, 150, OPTIONS)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            assertThat(scanned).hasSize(150);
        } finally {
            odd.shutdownNow().awaitTermination(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void aNodeWithSmallerLimitsSaysWhatWasTooLarge() throws Exception {
        try (GrpcApi api = GrpcApi.listening(
                "127.0.0.1",
                0,
                cluster,
                GrpcApiOptions.defaults()
                        .withMaxValueBytes(1000)
                        .withMaxBatchBytes(1024)
                        .withMaxBatchKeys(10)
                        .withDrainTimeout(Duration.ZERO))) {
            String address = "127.0.0.1:" + api.port();
            assertThat(code(client.put(address, KEY, new byte[1001], OPTIONS))).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
            assertThat(code(client.put(address, KEY, new byte[1 << 20], OPTIONS)))
                    .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
            assertThat(code(client.putAll(address, java.util.Map.of(KEY, new byte[1 << 20]), OPTIONS)))
                    .isEqualTo(ErrorCode.BATCH_TOO_LARGE);
            CompletionStage<Optional<io.dht4j.Value>> get = client.get(address, KEY, OPTIONS);
            await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
            cluster.gets.remove().complete(Optional.of(SteeredCluster.value(900)));
            assertThat(get.toCompletableFuture().get(30, TimeUnit.SECONDS)).isPresent();
        }
    }
}
