package io.dht4j.simulator.cluster.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.RefillMarker;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Node 2 loses everything during an upgrade: the other nodes run an earlier version. */
class RefillFromEarlierVersionTest {

    private static final int LOST = 2;

    @Test
    void nodesThatKnowNoPagesForRefillsDeliverPagesOfScans() {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        LoopbackNetwork network = LoopbackNetwork.on(env);
        AtomicBoolean lost = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .on(env, network, "")
                .options((node, builder) -> {
                    builder.handoff(HintedHandoff.off())
                            .transport(new EarlierVersion(network.transport("host" + node + ":1"), refused));
                    return node == LOST && lost.get() ? builder.refill(RefillMarker.everything()) : builder;
                })
                .start()) {
            Key key = Key.of("key");
            cluster.await(cluster.node(0)
                    .put(key, new byte[] {1}, CallOptions.defaults().withPolicy(3, 3)));
            lost.set(true);
            cluster.stop(LOST);
            cluster.startNode(LOST, new ModelStore());
            cluster.env.advance(Duration.ofMinutes(1));

            assertThat(partitionsLeft(cluster, cluster.node(LOST))).isZero();
            assertThat(cluster.stores.get(LOST).get(key)).isPresent();
            assertThat(refused).hasPositiveValue();
        }
    }

    private static int partitionsLeft(SimulatedCluster cluster, Cluster node) {
        return cluster.await(node.operations().status()).refill().partitions();
    }

    /** The transport of a node to which the type of pages for refills is an unknown one. */
    private static final class EarlierVersion extends ForwardingTransport {

        private static final byte REFILL_PAGE = 12;
        private static final byte UNKNOWN = 99;

        private final AtomicInteger refused;

        EarlierVersion(Transport transport, AtomicInteger refused) {
            super(transport);
            this.refused = refused;
        }

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return super.start((frame, context) -> {
                byte[] seen = frame.clone();
                if (seen[1] == REFILL_PAGE) {
                    refused.incrementAndGet();
                    seen[1] = UNKNOWN;
                }
                return handler.handle(seen, context);
            });
        }
    }
}
