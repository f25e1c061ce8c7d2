package io.dht4j.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.micrometer.ClusterMetrics;
import io.dht4j.micrometer.MicrometerObserver;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The metrics of a node in a registry of the version of Micrometer that the framework manages. */
class MetricsTest {

    @Test
    void theRegistryHasTheCallsAndTheStateOfANode() throws Exception {
        String jar = MeterRegistry.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        assertTrue(jar.contains("/micrometer-core-" + System.getProperty("compat.micrometer") + "."), jar);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Cluster cluster = ClusterBuilder.of(new NodeId("n1"), Topology.of(Node.of("n1", "127.0.0.1:1")))
                        .transport(TcpTransport.create(TcpTransportOptions.callingOnly()))
                        .store(new MemoryStore())
                        .observer(new MicrometerObserver(registry))
                        .start();
                ClusterMetrics metrics = new ClusterMetrics(cluster)) {
            metrics.bindTo(registry);
            cluster.get(Key.of("absent")).toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertEquals(1, registry.get("dht.calls").tags("kind", "get", "outcome", "SUCCESS").timer().count());
            assertEquals(1, registry.get("dht.nodes").gauge().value());
        }
        assertTrue(registry.find("dht.nodes").gauges().isEmpty());
    }
}
