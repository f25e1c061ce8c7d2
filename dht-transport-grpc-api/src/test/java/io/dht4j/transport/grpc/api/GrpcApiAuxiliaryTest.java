package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Version;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.transport.grpc.api.internal.common.ApiProtocol;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.PutResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What strangers do to health and reflection costs the calls of others nothing: over TLS, and without a token. */
@Timeout(60)
class GrpcApiAuxiliaryTest {

    private static final String TOKEN = "read-write-read-write";
    private static final int VALUE = 1 << 20;
    /** As many watch as there may be connections. */
    private static final int CONNECTIONS = 20;

    private static final int WATCHES_PER_CONNECTION = 4;
    private static final int CALLS = 256;
    private static final int CALLS_PER_CONNECTION = 32;

    @TempDir
    private static Path directory;

    private static TestCertificates authority;
    private static final SteeredCluster CLUSTER = new SteeredCluster();
    private static GrpcApi api;

    private final List<ManagedChannel> channels = new ArrayList<>();
    private final BlockingQueue<End> ends = new LinkedBlockingQueue<>();

    /** How a call ended, with the code of the trailers. */
    private record End(Status status, Optional<ErrorCode> code) {}

    @BeforeAll
    static void start() throws Exception {
        authority = TestCertificates.in(directory);
        Path tokens = Files.writeString(directory.resolve("tokens"), "read,write " + TOKEN + "\n");
        api = listening(tokens, PATIENCE);
    }

    private static GrpcApi listening(Path tokens, Duration bodyTimeout) {
        return GrpcApi.listening(
                "127.0.0.1",
                0,
                CLUSTER,
                GrpcApiOptions.defaults()
                        .withMaxConnections(CONNECTIONS)
                        .withMaxValueBytes(VALUE)
                        .withMaxBatchBytes(VALUE)
                        .withMaxBodyBytesInFlight(2 * VALUE)
                        .withBodyTimeout(bodyTimeout)
                        .withTls(authority.issue("localhost", "127.0.0.1").server())
                        .withTokens(tokens)
                        .withDrainTimeout(Duration.ZERO));
    }

    @AfterAll
    static void close() {
        api.close();
    }

    @AfterEach
    void everythingIsGivenBack() {
        channels.forEach(GrpcApiNodes::close);
        await().atMost(PATIENCE).until(() -> api.server().auxiliaryStreams() == 0);
        assertThat(api.server().bytesInFlight()).isZero();
    }

    private ManagedChannel connect() throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", api.port())
                .sslContext(GrpcSslContexts.forClient()
                        .trustManager(authority.authority().toFile())
                        .build())
                .build();
        channels.add(channel);
        return channel;
    }

    /** Begins a call that need not end by itself, whatever its method is. */
    private <Q, A> ClientCall<Q, A> begin(ManagedChannel channel, MethodDescriptor<Q, A> method) {
        ClientCall<Q, A> call = channel.newCall(
                method.toBuilder()
                        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                        .build(),
                CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ends.add(new End(
                                status, ApiErrors.decode(status, trailers).map(DhtException::code)));
                    }
                },
                new Metadata());
        call.request(10);
        return call;
    }

    private static HealthCheckRequest ofBytes(int length) {
        return HealthCheckRequest.newBuilder().setService("s".repeat(length)).build();
    }

    private Status nextEnd(ErrorCode... code) throws InterruptedException {
        End end = ends.poll(30, TimeUnit.SECONDS);
        assertThat(end).as("a call ends").isNotNull();
        assertThat(end.code().stream()).containsExactly(code);
        return end.status();
    }

    private void assertServes() throws Exception {
        ManagedChannel channel = connect();
        assertThat(HealthGrpc.newFutureStub(channel)
                        .check(HealthCheckRequest.getDefaultInstance())
                        .get(30, TimeUnit.SECONDS)
                        .getStatus())
                .isEqualTo(ServingStatus.SERVING);
        Metadata headers = new Metadata();
        headers.put(ApiProtocol.AUTHORIZATION, "Bearer " + TOKEN);
        Future<PutResponse> put = KeyValueGrpc.newFutureStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .put(PutRequest.newBuilder()
                        .setKey(bytes("k"))
                        .setValue(UnsafeByteOperations.unsafeWrap(new byte[VALUE]))
                        .build());
        await().atMost(PATIENCE).until(() -> put.isDone() || !CLUSTER.writes.isEmpty());
        CLUSTER.writes.forEach(write -> write.complete(new Version(1)));
        CLUSTER.writes.clear();
        put.get(30, TimeUnit.SECONDS);
    }

    @Test
    void largeMessagesAreRefusedAsTheyArrive() throws Exception {
        ManagedChannel stranger = connect();
        for (int i = 0; i < 3; i++) {
            // Not ended: what has come of it would be held for as long as the stranger likes.
            begin(stranger, HealthGrpc.getCheckMethod()).sendMessage(ofBytes(VALUE));
        }
        begin(stranger, HealthGrpc.getWatchMethod()).sendMessage(ofBytes(VALUE));
        begin(stranger, ServerReflectionGrpc.getServerReflectionInfoMethod())
                .sendMessage(ServerReflectionRequest.newBuilder()
                        .setListServices("s".repeat(VALUE))
                        .build());
        for (int i = 0; i < 5; i++) {
            Status end = nextEnd(ErrorCode.FRAME_TOO_LARGE);
            assertThat(end.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(end.getDescription()).isEqualTo("a message of health or reflection has at most 4096 bytes");
        }
        assertServes();
        ClientCall<HealthCheckRequest, HealthCheckResponse> small = begin(stranger, HealthGrpc.getCheckMethod());
        small.sendMessage(ofBytes(4000));
        small.halfClose();
        assertThat(nextEnd().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    }

    @Test
    @DisplayName("streams that watch are bounded per connection, and the busiest connection gives up its streams first")
    void watchStreamsAreBoundedPerConnection() throws Exception {
        int busy = CONNECTIONS / WATCHES_PER_CONNECTION;
        ManagedChannel stranger = connect();
        for (int i = 0; i < busy; i++) {
            ManagedChannel channel = i == 0 ? stranger : connect();
            for (int j = 0; j < WATCHES_PER_CONNECTION; j++) {
                watch(channel);
            }
        }
        await().atMost(PATIENCE).until(() -> api.server().auxiliaryStreams() == CONNECTIONS);
        watch(stranger);
        assertThat(nextEnd(ErrorCode.OVERLOADED).getDescription())
                .isEqualTo("a connection may have 4 streams that watch at a time");
        ManagedChannel client = connect();
        for (int i = 1; i < WATCHES_PER_CONNECTION; i++) {
            watch(client);
            Status left = nextEnd(ErrorCode.OVERLOADED);
            assertThat(left.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(left.getDescription()).isEqualTo("other calls needed the place of this one");
        }
        assertThat(api.server().auxiliaryStreams()).isEqualTo(CONNECTIONS);
        assertServes();
        assertThat(ends).isEmpty();
    }

    private ClientCall<?, ?> watch(ManagedChannel channel) {
        ClientCall<HealthCheckRequest, HealthCheckResponse> watch = begin(channel, HealthGrpc.getWatchMethod());
        watch.sendMessage(HealthCheckRequest.getDefaultInstance());
        watch.halfClose();
        return watch;
    }

    @Test
    void checksThatHangMakeRoomForOthers() throws Exception {
        int connections = CALLS / CALLS_PER_CONNECTION;
        for (int i = 0; i < connections; i++) {
            ManagedChannel channel = connect();
            for (int j = 0; j < CALLS_PER_CONNECTION; j++) {
                begin(channel, HealthGrpc.getCheckMethod());
            }
            // So that the oldest call is not one of the last connection.
            int begun = (i + 1) * CALLS_PER_CONNECTION;
            await().atMost(PATIENCE).until(() -> api.server().auxiliaryStreams() == begun);
        }
        assertServes();
        assertThat(nextEnd(ErrorCode.OVERLOADED).getDescription())
                .isEqualTo("other calls needed the place of this one");
        begin(channels.get(connections - 1), HealthGrpc.getCheckMethod());
        assertThat(nextEnd(ErrorCode.OVERLOADED).getDescription())
                .isEqualTo("a connection may have 32 calls of health or reflection at a time");
        assertServes();
        assertThat(ends).isEmpty();
    }

    @Test
    void auxiliaryStreamWithoutARequestTimesOut() throws Exception {
        GrpcApi shared = api;
        try (GrpcApi brief = listening(directory.resolve("tokens"), Duration.ofMillis(100))) {
            api = brief;
            begin(connect(), HealthGrpc.getWatchMethod());
            begin(connect(), HealthGrpc.getCheckMethod());
            begin(connect(), ServerReflectionGrpc.getServerReflectionInfoMethod());
            for (int i = 0; i < 3; i++) {
                assertThat(nextEnd(ErrorCode.DEADLINE_PASSED).getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
            }
        } finally {
            api = shared;
        }
    }
}
