package io.dht4j.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.store.ModelStore;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An event loop that has ended, as one does that runs out of memory, is never a port that is open and dead. */
@Timeout(120)
@Tag("jdk")
class DeadEventLoopTest {

    private static void endLoops(HttpTransport transport) {
        ((VertxInternal) transport.listener().vertx()).eventLoopGroup().shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    @Test
    void aNodeWhoseEventLoopsHaveEndedSaysSoAndRefusesCalls() throws Exception {
        int port = FreePorts.find(1).get(0);
        HttpTransport transport = HttpTransport.create(
                HttpTransportOptions.at("127.0.0.1", port).withDrainTimeout(Duration.ofMillis(100)));
        try (Cluster cluster = ClusterBuilder.of("n1", Topology.of(Node.of("n1", "127.0.0.1:" + port)))
                .transport(transport)
                .store(new ModelStore())
                .drainTimeout(Duration.ofMillis(100))
                .start()) {
            cluster.put(Key.of("key"), new byte[1]).toCompletableFuture().get(60, TimeUnit.SECONDS);
            CompletableFuture<String> failure = cluster.failure().toCompletableFuture();
            assertThat(failure).isNotDone();

            endLoops(transport);

            assertThat(failure.get(60, TimeUnit.SECONDS)).contains("event loop", "127.0.0.1:" + port, "has ended");
            assertThatThrownBy(() ->
                            cluster.get(Key.of("key")).toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .satisfies(e -> assertThat(((DhtException) DhtException.unwrap(e)).code())
                            .isEqualTo(ErrorCode.NOT_SERVING));
        }
    }

    @Test
    void aTransportThatIsClosedHasNotFailed() throws Exception {
        HttpTransport transport = HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 0));
        transport
                .start((request, context) -> CompletableFuture.completedFuture(request))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        transport.close();
        assertThat(transport.failure().toCompletableFuture()).isNotDone();
    }
}
