package io.dht4j.transport.grpc.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.v1.KeyValueGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A gRPC API over a cluster whose answers the test gives, and its clients. */
abstract class SteeredApi {

    final SteeredCluster cluster = new SteeredCluster();
    final List<ManagedChannel> channels = new ArrayList<>();
    GrpcApi api;

    /** Starts the API, and returns a client with a connection of its own. */
    final KeyValueGrpc.KeyValueFutureStub start(GrpcApiOptions options) {
        api = GrpcApi.listening("127.0.0.1", 0, cluster, options.withDrainTimeout(Duration.ZERO));
        return client();
    }

    final ManagedChannel channel() {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", api.port())
                .usePlaintext()
                .maxInboundMessageSize(64 << 20)
                .build();
        channels.add(channel);
        return channel;
    }

    final KeyValueGrpc.KeyValueFutureStub client() {
        return KeyValueGrpc.newFutureStub(channel());
    }

    /** Nothing of the calls stays behind. */
    @AfterEach
    final void close() {
        channels.forEach(GrpcApiNodes::close);
        api.close();
        assertThat(api.server().callsInFlight()).isZero();
        assertThat(api.server().bytesInFlight()).isZero();
    }
}
