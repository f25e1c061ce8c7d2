package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients see of a node that is asked to stop; {@code RollingRestartTest} has real processes and the delay. */
@Timeout(60)
class AnnouncedStopTest {

    @Test
    void stoppingNodeAnnouncesItselfAndStillServes() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        String grpcAddress = "127.0.0.1:" + ports.get(1);
        GrpcRemote grpc = GrpcRemote.create(GrpcRemoteOptions.defaults());
        try (ServerNode node = TestNodes.start(1, ports.subList(0, 1), Map.of(Setting.GRPC_LISTEN, grpcAddress));
                Cluster remote = RemoteCluster.connect(grpc, List.of(grpcAddress), RemoteOptions.defaults())) {
            assertThat(readiness(ports.get(0)).status()).isEqualTo(200);
            remote.put(Key.of("k"), new byte[1]).toCompletableFuture().get();
            ConcurrentLinkedQueue<String> stopping = new ConcurrentLinkedQueue<>();
            grpc.onStopping(stopping::add);

            // Without others that could serve in its place it returns at once, whatever the delay.
            node.awaitClientsToLeave();

            RawHttp.Answer answer = readiness(ports.get(0));
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.headers()).containsEntry("Connection", "close").containsEntry("Dht-Stopping", "true");
            assertThat(remote.get(Key.of("k")).toCompletableFuture().get()).isPresent();
            assertThat(stopping).containsExactly(grpcAddress);
        }
    }

    private static RawHttp.Answer readiness(int port) throws IOException {
        try (RawHttp client = new RawHttp(port)) {
            return client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .read();
        }
    }
}
