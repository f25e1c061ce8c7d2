package io.dht4j.transport.grpc.api.internal.server;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.transport.grpc.api.GrpcApiNodes;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The places of health and reflection, and the streams that take them. */
@Timeout(60)
class AuxiliaryServicesTest {

    private static final int CONNECTIONS = 20;

    @Test
    void everyConnectionMayWatchOnceForAsLongAsItLikes() {
        WatchStreams watches = new WatchStreams(CONNECTIONS);
        AuxiliaryServices services = new AuxiliaryServices(CONNECTIONS);
        Map<AuxiliaryStream, SocketAddress> connections = new HashMap<>();
        for (int port = 1; port <= CONNECTIONS; port++) {
            SocketAddress connection = new InetSocketAddress("127.0.0.1", port);
            for (int i = 0; i < WatchStreams.MAX_PER_CONNECTION; i++) {
                Optional<AuxiliaryStream> leaving = watches.leavingFor(connection);
                leaving.ifPresent(stream -> assertThat(watches.remove(connections.remove(stream), stream))
                        .isTrue());
                if (!watches.isFull()) {
                    AuxiliaryStream stream = new AuxiliaryStream(services);
                    watches.add(connection, stream);
                    connections.put(stream, connection);
                }
            }
        }
        assertThat(watches.count()).isEqualTo(CONNECTIONS);
        assertThat(new HashSet<>(connections.values())).hasSize(CONNECTIONS);
        connections.forEach((stream, connection) ->
                assertThat(watches.remove(connection, stream)).isTrue());
        assertThat(watches.count()).isZero();
    }

    @Test
    void aWatchThatMadeRoomIsForgottenByItsService() throws Exception {
        CountDownLatch forgotten = new CountDownLatch(1);
        List<ManagedChannel> channels = new ArrayList<>();
        BlockingQueue<Status> ends = new LinkedBlockingQueue<>();
        AuxiliaryServices services = new AuxiliaryServices(1);
        ServerStreamTracer.Factory tracers = new ServerStreamTracer.Factory() {
            @Override
            public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return services.newTracer();
            }
        };
        HealthGrpc.HealthImplBase health = new HealthGrpc.HealthImplBase() {
            @Override
            public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
                ((ServerCallStreamObserver<HealthCheckResponse>) observer).setOnCancelHandler(forgotten::countDown);
            }
        };
        Server server = NettyServerBuilder.forPort(0)
                .addStreamTracerFactory(tracers)
                .addService(ServerInterceptors.intercept(health, services))
                .build()
                .start();
        try {
            for (int i = 0; i < 2; i++) {
                ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .build();
                channels.add(channel);
                HealthGrpc.newStub(channel).watch(HealthCheckRequest.getDefaultInstance(), new Watcher(ends));
                await().atMost(PATIENCE).until(() -> services.streams() == 1);
            }
            assertThat(ends.poll(30, TimeUnit.SECONDS))
                    .extracting(Status::getCode)
                    .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(forgotten.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            channels.forEach(GrpcApiNodes::close);
            server.shutdownNow();
        }
    }

    /** Notes how its stream ends. */
    private record Watcher(BlockingQueue<Status> ends) implements StreamObserver<HealthCheckResponse> {

        @Override
        public void onNext(HealthCheckResponse response) {}

        @Override
        public void onError(Throwable end) {
            ends.add(Status.fromThrowable(end));
        }

        @Override
        public void onCompleted() {
            ends.add(Status.OK);
        }
    }

    @Test
    void whoWatchesMayBeSilentAndOthersMayNot() {
        for (boolean watches : new boolean[] {true, false}) {
            AuxiliaryStream stream = new AuxiliaryStream(new AuxiliaryServices(CONNECTIONS));
            stream.enter(new InetSocketAddress("127.0.0.1", 1), watches);
            long later = System.nanoTime() + Duration.ofHours(1).toNanos();
            assertThat(stream.isIdle(later, PATIENCE.toNanos())).isTrue();
            stream.inboundMessage(0);
            stream.inboundWireSize(10);
            stream.inboundMessageRead(0, 10, 10);
            assertThat(stream.isIdle(later, PATIENCE.toNanos())).isEqualTo(!watches);
        }
    }
}
