package io.dht4j.transport.grpc.api.internal.server;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static io.dht4j.transport.grpc.api.GrpcApiNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Message;
import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeDiagnostics;
import io.dht4j.NodeOperations;
import io.dht4j.Scan;
import io.dht4j.Snapshot;
import io.dht4j.security.TokenGuard;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import io.dht4j.transport.grpc.api.GrpcApiNodes;
import io.dht4j.transport.grpc.api.GrpcApiOptions;
import io.dht4j.transport.grpc.api.SteeredCluster;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.transport.grpc.internal.connections.Connections;
import io.dht4j.v1.AtomicRequest;
import io.dht4j.v1.BatchGetRequest;
import io.dht4j.v1.BatchPutRequest;
import io.dht4j.v1.ChangeMembershipRequest;
import io.dht4j.v1.DeleteRequest;
import io.dht4j.v1.GetRequest;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.LocateRequest;
import io.dht4j.v1.PutRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls that find no memory: each has an error with details, as any other call that fails, and holds nothing then. */
@Timeout(60)
class ApiServiceNoMemoryTest {

    /** The messages of methods that refuse an empty one. */
    private static final Map<String, Message> REQUESTS = Map.of(
            "Get", GetRequest.newBuilder().setKey(bytes("k")).build(),
            "Put", PutRequest.newBuilder().setKey(bytes("k")).build(),
            "Delete", DeleteRequest.newBuilder().setKey(bytes("k")).build(),
            "BatchGet", BatchGetRequest.newBuilder().addKeys(bytes("k")).build(),
            "BatchPut",
                    BatchPutRequest.newBuilder()
                            .addItems(BatchPutRequest.Item.newBuilder().setKey(bytes("k")))
                            .build(),
            "Atomic",
                    AtomicRequest.newBuilder()
                            .setMap("m")
                            .setKey(bytes("k"))
                            .setRead(AtomicRequest.Read.getDefaultInstance())
                            .build(),
            "Locate", LocateRequest.newBuilder().setKey(bytes("k")).build(),
            "ChangeMembership",
                    ChangeMembershipRequest.newBuilder()
                            .setCancelMoves(ChangeMembershipRequest.CancelMoves.getDefaultInstance())
                            .build());

    private final CallAdmission admission = new CallAdmission(new Limits(1 << 20, 100, 1 << 20, 1024, 1));
    private Server server;
    private ManagedChannel channel;

    @AfterEach
    void close() throws InterruptedException {
        GrpcApiNodes.close(channel);
        server.shutdownNow();
        server.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private void start(Cluster cluster, UnaryOperator<ServerServiceDefinition> planted) throws IOException {
        GrpcApiOptions options = GrpcApiOptions.defaults();
        TokenGuard guard = new TokenGuard(options.tokens(), warning -> {});
        Connections connections = new Connections();
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .addStreamTracerFactory(ApiStream.factory(admission, new AuxiliaryServices(1), connections))
                .addService(planted.apply(new ApiService(cluster, options.limits(), admission, guard).definition()))
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .build();
    }

    /** A service that runs out of memory while it reads a message. */
    private static ServerServiceDefinition withoutMemoryForMessages(ServerServiceDefinition service) {
        ServerServiceDefinition.Builder planted =
                ServerServiceDefinition.builder(service.getServiceDescriptor().getName());
        service.getMethods().forEach(method -> addWithoutMemory(planted, method));
        return planted.build();
    }

    private static <Q, A> void addWithoutMemory(
            ServerServiceDefinition.Builder planted, ServerMethodDefinition<Q, A> method) {
        MethodDescriptor<Q, A> descriptor = method.getMethodDescriptor();
        Marshaller<Q> own = descriptor.getRequestMarshaller();
        Marshaller<Q> requests = new Marshaller<>() {
            @Override
            public InputStream stream(Q request) {
                return own.stream(request);
            }

            @Override
            public Q parse(InputStream stream) {
                return own.parse(new InputStream() {
                    @Override
                    public int available() {
                        throw new OutOfMemoryError("planted");
                    }

                    @Override
                    public int read() {
                        throw new OutOfMemoryError("planted");
                    }
                });
            }
        };
        planted.addMethod(
                descriptor.toBuilder(requests, descriptor.getResponseMarshaller())
                        .build(),
                method.getServerCallHandler());
    }

    /** A cluster that runs out of memory in each call. */
    private static Cluster failing(OutOfMemoryError error, boolean later) {
        Cluster cluster = new SteeredCluster();
        return proxy(Cluster.class, cluster, error, later);
    }

    private static <T> T proxy(Class<T> type, Object real, OutOfMemoryError error, boolean later) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (CompletionStage.class.isAssignableFrom(method.getReturnType())) {
                        if (later) {
                            return CompletableFuture.failedFuture(error);
                        }
                        throw error;
                    }
                    if (method.getName().equals("slowCalls")) {
                        throw error;
                    }
                    if (method.getName().equals("diagnostics")) {
                        return Optional.of(proxy(NodeDiagnostics.class, real, error, later));
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        for (Class<?> part :
                                List.of(Scan.class, Snapshot.class, NodeOperations.class, ClusterMembership.class)) {
                            if (part.isInstance(result)) {
                                return proxy(part, result, error, later);
                            }
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** An error that cannot be put into words, for lack of memory. */
    private static final class Speechless extends OutOfMemoryError {

        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new OutOfMemoryError("planted");
        }
    }

    private void assertEachCallFails(Status.Code status, ErrorCode code) {
        for (MethodDescriptor<?, ?> method : KeyValueGrpc.getServiceDescriptor().getMethods()) {
            StatusRuntimeException failure = failure(method);
            String name = method.getFullMethodName();
            assertThat(failure.getStatus().getCode()).as(name).isEqualTo(status);
            Optional<DhtException> details = ApiErrors.decode(failure.getStatus(), failure.getTrailers());
            assertThat(details.map(DhtException::code)).as(name).contains(code);
        }
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(admission.requestsInFlight()).isZero();
            assertThat(admission.cheapCallsInFlight()).isZero();
            assertThat(admission.bytesInFlight()).isZero();
        });
    }

    private StatusRuntimeException failure(MethodDescriptor<?, ?> method) {
        MethodDescriptor<byte[], byte[]> plain =
                method.toBuilder(new RequestBytes(), new RequestBytes()).build();
        Message request =
                REQUESTS.getOrDefault(String.valueOf(method.getBareMethodName()), GetRequest.getDefaultInstance());
        try {
            ClientCalls.blockingServerStreamingCall(
                            channel.newCall(
                                    plain,
                                    CallOptions.DEFAULT.withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)),
                            request.toByteArray())
                    .forEachRemaining(answer -> {});
            throw new AssertionError(method.getFullMethodName() + " was answered");
        } catch (StatusRuntimeException e) {
            return e;
        }
    }

    @Test
    void messageThatThereIsNoMemoryForIsRefused() throws Exception {
        start(new SteeredCluster(), ApiServiceNoMemoryTest::withoutMemoryForMessages);
        assertEachCallFails(Status.Code.RESOURCE_EXHAUSTED, ErrorCode.OVERLOADED);
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void workWithoutMemoryFailsAsAnInternalError(boolean later, boolean speechless) throws Exception {
        start(failing(speechless ? new Speechless() : new OutOfMemoryError("planted"), later), service -> service);
        assertEachCallFails(Status.Code.INTERNAL, ErrorCode.INTERNAL);
    }
}
