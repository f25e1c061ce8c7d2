package io.dht4j.simulator.cluster.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.LoopbackNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In real time, since closing a node blocks. */
@Timeout(120)
class HandoffAtCloseTest {

    private static final Key KEY = Key.of("key");

    private final SystemEnvironment env = SystemEnvironment.create("handoff-test");
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final List<Cluster> nodes = new ArrayList<>();
    private final List<BlockingStore> stores = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Cluster::close);
        env.close();
    }

    private void start() {
        Topology topology = Topology.of(Node.of("n0", "h0:1"), Node.of("n1", "h1:1"), Node.of("n2", "h2:1"));
        for (Node node : topology.nodes()) {
            BlockingStore store = new BlockingStore();
            stores.add(store);
            nodes.add(ClusterBuilder.of(node.id(), topology)
                    .transport(network.transport(node.address()))
                    .store(store)
                    .environment(env)
                    .repair(Repair.off())
                    .drainTimeout(Duration.ofSeconds(30))
                    .start());
        }
    }

    @Test
    void aNodeThatClosesTriesAgainWhatIsNotTakenAtOnce() {
        start();
        AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);
        stores.get(2).beforeApply = entries -> {
            if (refusals.getAndDecrement() > 0) {
                throw new StoreException("planted");
            }
        };
        nodes.get(0)
                .put(KEY, new byte[1], CallOptions.defaults().withPolicy(2, 3))
                .toCompletableFuture()
                .join();
        await().until(() ->
                nodes.get(0).operations().status().toCompletableFuture().join().hintBytes() > 0);

        refusals.set(2);
        nodes.get(0).close();

        assertThat(stores.get(2).get(KEY)).isPresent();
    }
}
