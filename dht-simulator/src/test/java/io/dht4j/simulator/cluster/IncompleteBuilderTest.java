package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A builder that lacks a part names the call that supplies it. */
class IncompleteBuilderTest {

    private static final Node NODE = Node.of("n1", "host1:1");
    private static final Topology TOPOLOGY = Topology.of(NODE);

    @Test
    void missingStoreIsNamed() {
        AtomicInteger closed = new AtomicInteger();
        Transport transport =
                new ForwardingTransport(
                        LoopbackNetwork.on(VirtualEnvironment.seeded(1)).transport(NODE.address())) {
                    @Override
                    public void close() {
                        closed.incrementAndGet();
                        super.close();
                    }
                };
        ClusterBuilder builder = ClusterBuilder.of("n1", TOPOLOGY).transport(transport);
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a node needs a store: call store(...) before start()");
        assertThat(closed).hasValue(1);
    }

    @Test
    void missingTransportIsNamed() {
        ClusterBuilder builder = ClusterBuilder.of("n1", TOPOLOGY).store(new ModelStore());
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a node needs a transport: call transport(...) before start()");
    }
}
