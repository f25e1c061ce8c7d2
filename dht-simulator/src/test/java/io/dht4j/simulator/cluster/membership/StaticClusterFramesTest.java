package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A cluster whose nodes are fixed sends neither identities nor row versions. */
class StaticClusterFramesTest {

    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final int FLAGS = 2;

    private final List<byte[]> frames = new ArrayList<>();

    @Test
    void framesHaveNoFlags() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .wires((i, wire) -> new Recording(wire))
                .start()) {
            Key key = Key.of("key");
            cluster.await(cluster.node(0).put(key, new byte[1], ALL));
            cluster.await(cluster.node(1).putAll(Map.of(key, new byte[2], Key.of("other"), new byte[3]), ALL));
            cluster.await(cluster.node(2).get(key, ALL));
            cluster.drain(cluster.node(0).scan(KeyRange.all(), ScanScope.CLUSTER, ALL));
            Version snapshot = cluster.await(cluster.node(1).openSnapshot(Duration.ofMinutes(1), ALL))
                    .version();
            cluster.drain(cluster.node(1).snapshot(snapshot).scan(KeyRange.all(), ALL));
            cluster.env.advance(Duration.ofSeconds(10));
        }
        assertThat(frames)
                .hasSizeGreaterThan(20)
                .allSatisfy(frame -> assertThat(frame[FLAGS]).isZero());
    }

    private final class Recording extends ForwardingTransport {

        Recording(Transport wire) {
            super(wire);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            frames.add(request.toBytes());
            return super.call(node, request, context).thenApply(reply -> {
                frames.add(reply);
                return reply;
            });
        }
    }
}
