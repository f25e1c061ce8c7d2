package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.transport.common.FloodCount;
import io.dht4j.transport.grpc.api.internal.common.ApiProtocol;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.StatusRequest;
import io.dht4j.v1.StatusResponse;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever may not call has to connect again and again for it. */
@Timeout(60)
class GrpcApiRefusedCallsTest {

    private static final String TOKEN = "admin-admin-admin-admin-1";

    private static final int AT_A_TIME = 100;

    @TempDir
    private Path directory;

    private GrpcApi api;
    private ManagedChannel channel;
    private KeyValueGrpc.KeyValueFutureStub stranger;
    private KeyValueGrpc.KeyValueFutureStub known;

    @BeforeEach
    void start() throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "admin " + TOKEN + "\n");
        api = GrpcApi.listening(
                "127.0.0.1", 0, new SteeredCluster(), GrpcApiOptions.defaults().withTokens(tokens));
        channel = NettyChannelBuilder.forAddress("127.0.0.1", api.port())
                .usePlaintext()
                .build();
        stranger = KeyValueGrpc.newFutureStub(channel);
        Metadata token = new Metadata();
        token.put(ApiProtocol.AUTHORIZATION, "Bearer " + TOKEN);
        known = stranger.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token));
    }

    @AfterEach
    void close() {
        GrpcApiNodes.close(channel);
        api.close();
    }

    private void callInVain(int times) throws Exception {
        for (int done = 0; done < times; done += AT_A_TIME) {
            List<Future<StatusResponse>> calls = new ArrayList<>();
            for (int i = done; i < Math.min(times, done + AT_A_TIME); i++) {
                calls.add(stranger.status(StatusRequest.getDefaultInstance()));
            }
            for (Future<StatusResponse> each : calls) {
                assertThatThrownBy(() -> each.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            }
        }
    }

    /** Becomes true when the connection, which is there, has gone. */
    private AtomicBoolean lost() {
        AtomicBoolean lost = new AtomicBoolean();
        channel.notifyWhenStateChanged(ConnectivityState.READY, () -> lost.set(true));
        return lost;
    }

    @Test
    void whoeverIsRefusedAgainAndAgainLosesTheConnection() throws Exception {
        callInVain(1);
        AtomicBoolean lost = lost();
        callInVain(FloodCount.MAX_REFUSED - 1);
        await().atMost(PATIENCE).untilTrue(lost);
        assertThat(known.status(StatusRequest.getDefaultInstance())
                        .get(30, TimeUnit.SECONDS)
                        .getId())
                .isEqualTo("n1");
    }

    @Test
    void aCallThatIsLetInBreaksTheRow() throws Exception {
        known.status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS);
        AtomicBoolean lost = lost();
        for (int i = 0; i < 3; i++) {
            callInVain(FloodCount.MAX_REFUSED - 1);
            known.status(StatusRequest.getDefaultInstance()).get(30, TimeUnit.SECONDS);
        }
        assertThat(lost).isFalse();
    }
}
