package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.UnavailableException;
import io.dht4j.spi.TransportException;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.GetResponse;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.StatusRequest;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starting, draining and closing. */
@Timeout(60)
class GrpcApiLifecycleTest {

    private static final GetRequest GET =
            GetRequest.newBuilder().setKey(bytes("k")).build();

    private final SteeredCluster cluster = new SteeredCluster();
    private GrpcApi api;
    private ManagedChannel channel;

    private KeyValueGrpc.KeyValueFutureStub start(GrpcApiOptions options) {
        api = GrpcApi.listening("127.0.0.1", 0, cluster, options);
        channel = NettyChannelBuilder.forAddress("127.0.0.1", api.port())
                .usePlaintext()
                .build();
        return KeyValueGrpc.newFutureStub(channel);
    }

    @AfterEach
    void close() {
        GrpcApiNodes.close(channel);
        api.close();
    }

    private static ErrorCode code(Future<?> call) throws Exception {
        try {
            Object result = call.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            StatusRuntimeException failure = (StatusRuntimeException) e.getCause();
            return ApiErrors.decode(failure.getStatus(), failure.getTrailers())
                    .orElseThrow(() -> failure)
                    .code();
        }
    }

    @Test
    void closingWaitsForCallsUnderWay() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults().withDrainTimeout(PATIENCE));
        Future<GetResponse> call = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(api::close);
        await().atMost(PATIENCE).until(() -> refusesConnections(api.port()));
        assertThat(closing).isNotDone();
        cluster.gets.remove().complete(Optional.of(SteeredCluster.value(1 << 20)));
        assertThat(call.get(30, TimeUnit.SECONDS).getValue().getData().size()).isEqualTo(1 << 20);
        closing.get(30, TimeUnit.SECONDS);
    }

    private static boolean refusesConnections(int port) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isClosed();
        } catch (ConnectException e) {
            return true;
        }
    }

    @Test
    void callsThatDoNotEndInTimeAreAnsweredAsOfUnknownOutcome() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client =
                start(GrpcApiOptions.defaults().withDrainTimeout(Duration.ofMillis(50)));
        Future<GetResponse> call = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        api.close();
        assertThat(code(call)).isEqualTo(ErrorCode.INTERNAL);
        cluster.gets.remove().complete(Optional.empty());
        assertThat(api.server().callsInFlight()).isZero();
    }

    @Test
    void healthFollowsTheApi() {
        start(GrpcApiOptions.defaults().withDrainTimeout(Duration.ofMillis(50)));
        Queue<ServingStatus> seen = new ConcurrentLinkedQueue<>();
        HealthGrpc.newStub(channel)
                .watch(
                        HealthCheckRequest.newBuilder()
                                .setService(KeyValueGrpc.SERVICE_NAME)
                                .build(),
                        new StreamObserver<>() {
                            @Override
                            public void onNext(HealthCheckResponse value) {
                                seen.add(value.getStatus());
                            }

                            @Override
                            public void onError(Throwable t) {}

                            @Override
                            public void onCompleted() {}
                        });
        await().atMost(PATIENCE).until(() -> seen.contains(ServingStatus.SERVING));
        api.close();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(seen).containsExactly(ServingStatus.SERVING, ServingStatus.NOT_SERVING));
    }

    @Test
    void itIsHealthyOnceTheClusterIsReady() {
        cluster.ready = new CompletableFuture<>();
        start(GrpcApiOptions.defaults());
        HealthCheckRequest health = HealthCheckRequest.getDefaultInstance();
        HealthGrpc.HealthBlockingStub client = HealthGrpc.newBlockingStub(channel);
        assertThat(client.check(health).getStatus()).isEqualTo(ServingStatus.NOT_SERVING);

        cluster.ready.complete(null);
        assertThat(client.check(health).getStatus()).isEqualTo(ServingStatus.SERVING);
    }

    @Test
    void anAnnouncedStopShowsInHealthEndsConnectionsAndServes() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        Future<GetResponse> before = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);

        api.announceStop();
        await("the channel has no connection but for the call under way")
                .atMost(PATIENCE)
                .until(() -> channel.getState(false) == ConnectivityState.IDLE);
        // Over a connection of its own, so not before.
        HealthCheckRequest health = HealthCheckRequest.getDefaultInstance();
        assertThat(HealthGrpc.newBlockingStub(channel).check(health).getStatus())
                .isEqualTo(ServingStatus.NOT_SERVING);
        cluster.gets.remove().complete(Optional.of(SteeredCluster.value(1)));
        assertThat(before.get(30, TimeUnit.SECONDS).hasValue()).isTrue();

        Future<GetResponse> after = client.get(GET);
        await().atMost(PATIENCE).until(() -> cluster.gets.size() == 1);
        cluster.gets.remove().complete(Optional.empty());
        assertThat(after.get(30, TimeUnit.SECONDS).hasValue()).isFalse();
    }

    @Test
    void closingAfterAnAnnouncementLogsNothing() {
        start(GrpcApiOptions.defaults());
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler log = new StreamHandler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry.getLoggerName() + ": " + entry.getMessage());
            }
        };
        Logger grpc = Logger.getLogger("io.grpc");
        Level quiet = grpc.getLevel();
        grpc.setLevel(Level.WARNING);
        grpc.addHandler(log);
        try {
            api.announceStop();
            api.close();
        } finally {
            grpc.removeHandler(log);
            grpc.setLevel(quiet);
        }
        assertThat(logged).isEmpty();
    }

    @Test
    void closingMayBeRepeatedAndLeavesNoThreads() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults());
        client.status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS);
        api.close();
        api.close();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("dht4j-grpc-api")));
    }

    @Test
    @SuppressWarnings("NullAway") // tests the checks
    void aMissingArgumentIsNamed() {
        start(GrpcApiOptions.defaults());
        assertThatNullPointerException()
                .isThrownBy(() -> GrpcApi.listening("127.0.0.1", 0, null, GrpcApiOptions.defaults()))
                .withMessage("cluster");
        assertThatNullPointerException()
                .isThrownBy(() -> GrpcApi.listening("127.0.0.1", 0, cluster, null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> GrpcRemote.create(null))
                .withMessage("options");
    }

    @Test
    void closedClusterIsRefused() {
        start(GrpcApiOptions.defaults());
        SteeredCluster closed = new SteeredCluster();
        closed.ready =
                CompletableFuture.failedFuture(new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed"));
        assertThatThrownBy(() -> GrpcApi.listening("127.0.0.1", 0, closed, GrpcApiOptions.defaults()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the API cannot serve the cluster: this node is closed");
    }

    @Test
    void aBusyPortIsNamed() {
        start(GrpcApiOptions.defaults());
        assertThatThrownBy(() -> GrpcApi.listening("127.0.0.1", api.port(), cluster, GrpcApiOptions.defaults()))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("127.0.0.1:" + api.port())
                .hasStackTraceContaining("at " + getClass().getName());
        assertThatThrownBy(() -> GrpcApi.listening(
                        "no.such.host.invalid",
                        0,
                        cluster,
                        GrpcApiOptions.defaults().withPlaintextAllowed()))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("no.such.host.invalid")
                .hasStackTraceContaining("at " + getClass().getName());
    }

    @Test
    void closingInAnActionIsRefusedAtOnce() {
        start(GrpcApiOptions.defaults());
        try (GrpcApiNodes nodes = GrpcApiNodes.three()) {
            CompletableFuture<Void> closed = new CompletableFuture<>();
            await().atMost(PATIENCE).until(() -> {
                Thread caller = Thread.currentThread();
                nodes.cluster(0)
                        .put(Key.of("k"), new byte[1])
                        .thenRun(() -> {
                            if (Thread.currentThread() != caller && !closed.isDone()) {
                                try {
                                    nodes.api(0).close();
                                    closed.complete(null);
                                } catch (IllegalStateException e) {
                                    closed.completeExceptionally(e);
                                }
                            }
                        })
                        .toCompletableFuture()
                        .get();
                return closed.isDone();
            });
            assertThatThrownBy(closed::join)
                    .hasMessageContaining("the gRPC API cannot be closed on this thread: it runs an action");
            nodes.api(0).close();
            nodes.cluster(0)
                    .put(Key.of("k"), new byte[1])
                    .thenRun(() -> nodes.api(0).close())
                    .toCompletableFuture()
                    .join();
        }
    }

    @Test
    void closingOnAnEventLoopIsRefused() throws Exception {
        KeyValueGrpc.KeyValueFutureStub client = start(GrpcApiOptions.defaults().withEventLoops(1));
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        cluster.onNextGet = () -> {
            try {
                api.close();
                thrown.complete(new AssertionError("closed"));
            } catch (RuntimeException e) {
                thrown.complete(e);
            }
        };
        client.get(GET);
        assertThat(thrown.get(30, TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the gRPC API cannot be closed on this thread: it runs an action");
    }
}
