package io.dht4j.transport.tcp;

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
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An event loop that has ended, as one does that runs out of memory, is never a port that is open and dead. */
@Timeout(120)
class DeadEventLoopTest {

    @Test
    void aNodeWhoseEventLoopsHaveEndedSaysSoAndRefusesCalls() throws Exception {
        int port = FreePorts.find(1).get(0);
        TcpTransport transport =
                TcpTransport.create(TcpTransportOptions.at("127.0.0.1", port).withDrainTimeout(Duration.ofMillis(100)));
        try (Cluster cluster = ClusterBuilder.of("n1", Topology.of(Node.of("n1", "127.0.0.1:" + port)))
                .transport(transport)
                .store(new ModelStore())
                .drainTimeout(Duration.ofMillis(100))
                .start()) {
            cluster.put(Key.of("key"), new byte[1]).toCompletableFuture().get(60, TimeUnit.SECONDS);
            CompletableFuture<String> failure = cluster.failure().toCompletableFuture();
            assertThat(failure).isNotDone();

            Objects.requireNonNull(transport.loops()).endWithoutNotice();

            assertThat(failure.get(60, TimeUnit.SECONDS)).contains("event loop", "dht4j-tcp-loop", "has ended");
            assertThatThrownBy(() ->
                            cluster.get(Key.of("key")).toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .satisfies(e -> assertThat(((DhtException) DhtException.unwrap(e)).code())
                            .isEqualTo(ErrorCode.NOT_SERVING));
        }
    }
}
