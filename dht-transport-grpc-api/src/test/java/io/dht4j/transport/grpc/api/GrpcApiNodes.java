package io.dht4j.transport.grpc.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.v1.Entry;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.ScanRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A cluster in one process whose nodes each serve the gRPC API, and plain clients for it. */
public final class GrpcApiNodes implements AutoCloseable {

    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private final SystemEnvironment environment = SystemEnvironment.create("grpc-api-nodes");
    private final Topology topology = Topology.of(Node.of("n1", "h1:1"), Node.of("n2", "h2:1"), Node.of("n3", "h3:1"));
    private final GrpcApiOptions options;
    private final List<Cluster> clusters = new ArrayList<>();
    private final List<GrpcApi> apis = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();

    private GrpcApiNodes(UnaryOperator<ClusterBuilder> settings, GrpcApiOptions options) {
        this.options = options;
        LoopbackNetwork network = LoopbackNetwork.on(environment);
        for (Node node : topology.nodes()) {
            Cluster cluster = settings.apply(ClusterBuilder.of(node.id(), topology)
                            .transport(network.transport(node.address()))
                            .store(new MemoryStore())
                            .environment(environment)
                            .drainTimeout(Duration.ZERO))
                    .start();
            clusters.add(cluster);
            apis.add(GrpcApi.listening("127.0.0.1", FreePorts.find(), cluster, options));
        }
        for (int node = 0; node < 3; node++) {
            channels.add(channel(node, channel -> channel));
        }
    }

    public static GrpcApiNodes three() {
        return three(GrpcApiOptions.defaults());
    }

    static GrpcApiNodes three(GrpcApiOptions options) {
        return new GrpcApiNodes(settings -> settings, options);
    }

    static GrpcApiNodes three(UnaryOperator<ClusterBuilder> settings, GrpcApiOptions options) {
        return new GrpcApiNodes(settings, options);
    }

    Topology topology() {
        return topology;
    }

    Cluster cluster(int node) {
        return clusters.get(node);
    }

    GrpcApi api(int node) {
        return apis.get(node);
    }

    /** Serves a node again, on the port that it had. */
    void restartApi(int node) {
        apis.set(node, GrpcApi.listening("127.0.0.1", api(node).port(), cluster(node), options));
    }

    String address(int node) {
        return "127.0.0.1:" + api(node).port();
    }

    /** A connection of its own, which the caller closes. */
    ManagedChannel channel(int node, UnaryOperator<NettyChannelBuilder> settings) {
        return settings.apply(
                        NettyChannelBuilder.forAddress("127.0.0.1", api(node).port())
                                .usePlaintext()
                                .maxInboundMessageSize(64 << 20))
                .build();
    }

    public ManagedChannel channel(int node) {
        return channels.get(node);
    }

    KeyValueGrpc.KeyValueBlockingStub client(int node) {
        return KeyValueGrpc.newBlockingStub(channels.get(node))
                .withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    public static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    public static StatusRuntimeException failure(Supplier<?> call) {
        Object result;
        try {
            result = call.get();
        } catch (StatusRuntimeException e) {
            return e;
        }
        throw new AssertionError("expected a failure, not " + result);
    }

    /** The error of a call that fails, as status and details agree on it. */
    public static ErrorCode code(Supplier<?> call) {
        StatusRuntimeException failure = failure(call);
        DhtException error = ApiErrors.decode(failure.getStatus(), failure.getTrailers())
                .orElseThrow(() -> new AssertionError("no details", failure));
        assertThat(failure.getStatus().getCode()).isEqualTo(ApiErrors.status(error.code()));
        assertThat(failure.getStatus().getDescription()).isEqualTo(error.getMessage());
        return error.code();
    }

    /** All entries that a node shows for a scan. */
    List<Entry> scan(int node, ScanRequest request) {
        List<Entry> entries = new ArrayList<>();
        client(node).scan(request).forEachRemaining(answer -> entries.addAll(answer.getEntriesList()));
        return entries;
    }

    public static void close(ManagedChannel channel) {
        channel.shutdownNow();
        try {
            if (!channel.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("a channel did not close");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        channels.forEach(GrpcApiNodes::close);
        apis.forEach(GrpcApi::close);
        clusters.forEach(Cluster::close);
        environment.close();
    }
}
