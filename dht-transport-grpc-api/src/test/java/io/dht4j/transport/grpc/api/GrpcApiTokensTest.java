package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import io.dht4j.transport.grpc.api.internal.common.ApiProtocol;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.PutRequest;
import io.dht4j.v1.PutResponse;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.ScanResponse;
import io.dht4j.v1.StatusRequest;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may call what when the API has tokens, and that nobody learns what they are. */
@Timeout(60)
class GrpcApiTokensTest {

    private static final String READ = "read-read-read-read-1";
    private static final String WRITE = "write-write-write-write-1";
    private static final String ADMIN = "admin-admin-admin-admin-1";
    private static final String STRANGE = "strange-strange-strange-1";
    private static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(PATIENCE);

    @TempDir
    private static Path directory;

    private static Path file;
    private static GrpcApiNodes nodes;

    @BeforeAll
    static void start() throws IOException {
        file = directory.resolve("tokens");
        Files.writeString(file, "read " + READ + "\nwrite " + WRITE + "\nadmin " + ADMIN + "\n");
        nodes = GrpcApiNodes.three(GrpcApiOptions.defaults().withTokens(file));
    }

    @AfterAll
    static void close() {
        nodes.close();
    }

    private static Map<String, CompletionStage<?>> calls(RemoteApi api) {
        String address = nodes.address(0);
        Key key = Key.of("k");
        Map<String, CompletionStage<?>> calls = new LinkedHashMap<>();
        calls.put("Get", api.get(address, key, OPTIONS));
        calls.put("BatchGet", api.getAll(address, List.of(key), OPTIONS));
        calls.put("Scan", api.scan(address, KeyRange.all(), ScanScope.CLUSTER, 1, OPTIONS));
        calls.put("Locate", api.locate(address, key, OPTIONS));
        calls.put("Put", api.put(address, key, new byte[1], OPTIONS));
        calls.put("Delete", api.delete(address, key, OPTIONS));
        calls.put("BatchPut", api.putAll(address, Map.of(key, new byte[1]), OPTIONS));
        calls.put("Scan of a node", api.scan(address, KeyRange.all(), ScanScope.NODE, 1, OPTIONS));
        calls.put("OpenSnapshot", api.openSnapshot(address, Duration.ofSeconds(1), OPTIONS));
        calls.put("CloseSnapshot", api.closeSnapshot(address, new Version(5), OPTIONS));
        calls.put("Status", api.status(address, OPTIONS));
        return calls;
    }

    private static String outcome(CompletionStage<?> call) throws InterruptedException, TimeoutException {
        try {
            call.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return "passes";
        } catch (ExecutionException e) {
            DhtException error = (DhtException) DhtException.unwrap(e);
            assertThat(error.getMessage()).doesNotContain(READ, WRITE, ADMIN, STRANGE);
            return error.code().name();
        }
    }

    @ParameterizedTest
    @CsvSource({
        READ + ", Get BatchGet Scan Locate Status",
        WRITE + ", Put Delete BatchPut Status",
        ADMIN + ", Get BatchGet Scan Locate Put Delete BatchPut OpenSnapshot CloseSnapshot Scan of a node Status"
    })
    void aTokenAllowsWhatItsScopeSays(String token, String allowed) throws Exception {
        try (RemoteApi api = GrpcRemote.create(GrpcRemoteOptions.defaults().withToken(token))) {
            for (Map.Entry<String, CompletionStage<?>> call : calls(api).entrySet()) {
                boolean passes = call.getKey().equals("Scan of a node")
                        ? token.equals(ADMIN)
                        : List.of(allowed.split(" ")).contains(call.getKey());
                assertThat(outcome(call.getValue()))
                        .as(call.getKey())
                        .isEqualTo(passes ? "passes" : ErrorCode.PERMISSION_DENIED.name());
            }
        }
    }

    @Test
    void withoutAKnownTokenNothingIsAllowed() throws Exception {
        for (GrpcRemoteOptions options : List.of(
                GrpcRemoteOptions.defaults(), GrpcRemoteOptions.defaults().withToken(STRANGE))) {
            try (RemoteApi api = GrpcRemote.create(options)) {
                for (Map.Entry<String, CompletionStage<?>> call : calls(api).entrySet()) {
                    assertThat(outcome(call.getValue())).as(call.getKey()).isEqualTo(ErrorCode.UNAUTHENTICATED.name());
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({READ + ", true, false", WRITE + ", false, true", ADMIN + ", true, true", STRANGE + ", false, false"})
    void anAtomicOperationNeedsTheScopeOfItsChange(String token, boolean reads, boolean writes) throws Exception {
        SteeredCluster cluster = new SteeredCluster();
        try (GrpcApi api = GrpcApi.listening(
                        "127.0.0.1",
                        0,
                        cluster,
                        GrpcApiOptions.defaults().withTokens(file).withDrainTimeout(Duration.ZERO));
                RemoteApi client =
                        GrpcRemote.create(GrpcRemoteOptions.defaults().withToken(token))) {
            byte[] value = new byte[1];
            List<AtomicChange> changes = List.of(
                    AtomicChange.read(),
                    AtomicChange.put(value, 0),
                    AtomicChange.putIfAbsent(value, 0),
                    AtomicChange.replace(new Version(1), value, 0),
                    AtomicChange.remove(),
                    AtomicChange.remove(new Version(1)),
                    AtomicChange.touch(1000),
                    AtomicChange.add(1),
                    AtomicChange.compareAndSet(0, 1));
            for (AtomicChange change : changes) {
                CompletionStage<AtomicResult> call =
                        client.execute("127.0.0.1:" + api.port(), "map", Key.of("k"), change, OPTIONS);
                if (change.kind() == AtomicChange.Kind.READ ? reads : writes) {
                    await().atMost(PATIENCE).until(() -> cluster.atomics.size() == 1);
                    assertThat(cluster.changes.remove()).isEqualTo(change);
                    cluster.atomics
                            .remove()
                            .complete(new AtomicResult(
                                    true, false, new Version(2), OptionalLong.empty(), Optional.empty()));
                    assertThat(outcome(call)).isEqualTo("passes");
                } else {
                    ErrorCode refusal = token.equals(STRANGE) ? ErrorCode.UNAUTHENTICATED : ErrorCode.PERMISSION_DENIED;
                    assertThat(outcome(call)).as(change.kind().name()).isEqualTo(refusal.name());
                    assertThat(cluster.changes).isEmpty();
                }
            }
        }
    }

    private static KeyValueGrpc.KeyValueBlockingStub with(String... headers) {
        Metadata metadata = new Metadata();
        for (String header : headers) {
            metadata.put(ApiProtocol.AUTHORIZATION, header);
        }
        ClientInterceptor attach = MetadataUtils.newAttachHeadersInterceptor(metadata);
        return nodes.client(0).withInterceptors(attach);
    }

    @Test
    void theHeaderHasOneForm() {
        for (String form : List.of("Bearer ", "bearer ", "BEARER ")) {
            assertThat(with(form + ADMIN)
                            .status(StatusRequest.getDefaultInstance())
                            .getId())
                    .isEqualTo("n1");
        }
        String[][] malformed = {
            {},
            {"Bearer"},
            {"Bearer "},
            {ADMIN},
            {"Basic " + ADMIN},
            {"Bearer  " + ADMIN},
            {"Bearer" + ADMIN},
            {"Bearer " + ADMIN + ", Bearer " + ADMIN},
            {"Bearer " + ADMIN, "Bearer " + ADMIN}
        };
        for (String[] headers : malformed) {
            assertThatThrownBy(() -> with(headers).status(StatusRequest.getDefaultInstance()))
                    .as(String.join(" and ", headers))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failure ->
                                    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
        }
    }

    @Test
    void aLargeRequestWithoutATokenIsRefusedUnread() {
        PutRequest put = PutRequest.newBuilder()
                .setKey(bytes("k"))
                .setValue(UnsafeByteOperations.unsafeWrap(new byte[16 << 20]))
                .build();
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> nodes.client(0).put(put))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failure ->
                                    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
        }
    }

    @Test
    void healthAndReflectionNeedNone() {
        HealthGrpc.HealthBlockingStub health =
                HealthGrpc.newBlockingStub(nodes.channel(0)).withDeadlineAfter(30, TimeUnit.SECONDS);
        for (String service : List.of("", KeyValueGrpc.SERVICE_NAME)) {
            assertThat(health.check(HealthCheckRequest.newBuilder()
                                    .setService(service)
                                    .build())
                            .getStatus())
                    .isEqualTo(ServingStatus.SERVING);
        }
    }

    @Test
    void aFileThatChangesCountsWithoutARestart() throws Exception {
        Path own = directory.resolve("changing");
        Files.writeString(own, "read " + READ + "\n");
        try (GrpcApi api = GrpcApi.listening(
                        "127.0.0.1",
                        0,
                        nodes.cluster(0),
                        GrpcApiOptions.defaults().withTokens(own));
                RemoteApi before =
                        GrpcRemote.create(GrpcRemoteOptions.defaults().withToken(READ));
                RemoteApi after = GrpcRemote.create(GrpcRemoteOptions.defaults().withToken(STRANGE))) {
            String address = "127.0.0.1:" + api.port();
            assertThat(outcome(before.status(address, OPTIONS))).isEqualTo("passes");
            assertThat(outcome(after.status(address, OPTIONS))).isEqualTo(ErrorCode.UNAUTHENTICATED.name());
            Files.writeString(own, "read " + STRANGE + "\n");
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(outcome(after.status(address, OPTIONS))).isEqualTo("passes"));
            assertThat(outcome(before.status(address, OPTIONS))).isEqualTo(ErrorCode.UNAUTHENTICATED.name());
        }
    }

    @Test
    void revokedTokenEndsScansAndIncompleteRequests() throws Exception {
        Path own = directory.resolve("revoked");
        Files.writeString(own, "read,write " + READ + "\nread " + STRANGE + "\n");
        SteeredCluster cluster = new SteeredCluster();
        ManagedChannel channel = null;
        try (GrpcApi api = GrpcApi.listening(
                "127.0.0.1",
                0,
                cluster,
                GrpcApiOptions.defaults().withTokens(own).withDrainTimeout(Duration.ZERO))) {
            channel = NettyChannelBuilder.forAddress("127.0.0.1", api.port())
                    .usePlaintext()
                    .build();
            BlockingQueue<Object> revoked = new LinkedBlockingQueue<>();
            BlockingQueue<Object> kept = new LinkedBlockingQueue<>();
            BlockingQueue<Object> coming = new LinkedBlockingQueue<>();
            BlockingQueue<Object> begun = new LinkedBlockingQueue<>();
            scan(channel, READ, revoked);
            scan(channel, STRANGE, kept);
            call(channel, KeyValueGrpc.getPutMethod(), READ, coming);
            ClientCall<PutRequest, PutResponse> put = call(channel, KeyValueGrpc.getPutMethod(), READ, begun);
            put.sendMessage(
                    PutRequest.newBuilder().setKey(GrpcApiNodes.bytes("k")).build());
            put.halfClose();
            await().atMost(PATIENCE).until(() -> cluster.writes.size() == 1 && cluster.openScans.get() == 2);

            Files.writeString(own, "write " + READ + "\nread " + STRANGE + "\n");
            assertThat(revoked.poll(30, TimeUnit.SECONDS))
                    .as("the scope is gone")
                    .isEqualTo(Status.Code.PERMISSION_DENIED);
            assertThat(coming).isEmpty();

            Files.writeString(own, "read " + STRANGE + "\n");
            assertThat(coming.poll(30, TimeUnit.SECONDS)).isEqualTo(Status.Code.UNAUTHENTICATED);
            assertThat(kept).isEmpty();
            assertThat(begun).isEmpty();
            cluster.writes.remove().complete(new Version(9));
            assertThat(begun.poll(30, TimeUnit.SECONDS)).isEqualTo(Status.Code.OK);
            await().atMost(PATIENCE).until(() -> cluster.openScans.get() == 1);
        } finally {
            GrpcApiNodes.close(Objects.requireNonNull(channel));
        }
    }

    /** Begins a scan that goes on for ever, and reads it. */
    private static void scan(ManagedChannel channel, String token, BlockingQueue<Object> ends) {
        ClientCall<ScanRequest, ScanResponse> scan = call(channel, KeyValueGrpc.getScanMethod(), token, ends);
        scan.sendMessage(ScanRequest.getDefaultInstance());
        scan.halfClose();
    }

    /** Begins a call that may be left without its message; its end is told. */
    private static <Q, A> ClientCall<Q, A> call(
            ManagedChannel channel, MethodDescriptor<Q, A> method, String token, BlockingQueue<Object> ends) {
        ClientCall<Q, A> call = channel.newCall(
                method.toBuilder()
                        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                        .build(),
                io.grpc.CallOptions.DEFAULT);
        Metadata headers = new Metadata();
        headers.put(ApiProtocol.AUTHORIZATION, "Bearer " + token);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(A message) {
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ends.add(status.getCode());
                    }
                },
                headers);
        call.request(1);
        return call;
    }

    @Test
    void aMissingFileKeepsTheApiFromStarting() {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> GrpcApi.listening(
                        "127.0.0.1",
                        0,
                        nodes.cluster(0),
                        GrpcApiOptions.defaults().withTokens(missing)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(missing.toString());
    }

    @Test
    void aTokenGoesInPlaintextToThisMachineOnly() throws Exception {
        Key key = Key.of("k");
        try (RemoteApi api = GrpcRemote.create(GrpcRemoteOptions.defaults().withToken(READ))) {
            for (String address : List.of("192.0.2.1:9", "db.example:9", "[2001:db8::1]:9")) {
                assertThatThrownBy(() -> api.get(address, key, OPTIONS)
                                .toCompletableFuture()
                                .get(30, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOfSatisfying(
                                DhtException.class,
                                error -> assertThat(error.code()).isEqualTo(ErrorCode.BAD_REQUEST))
                        .hasMessageContaining("withPlaintextAllowed()")
                        .hasMessageNotContaining(READ);
            }
        }
        assertThatThrownBy(() -> GrpcApi.listening("0.0.0.0", 0, nodes.cluster(0), GrpcApiOptions.defaults()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("withPlaintextAllowed()");
        GrpcApi.listening(
                        "0.0.0.0",
                        0,
                        nodes.cluster(0),
                        GrpcApiOptions.defaults().withPlaintextAllowed())
                .close();
    }
}
