package io.dht4j.compat;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import java.util.List;

// tag::factory[]
/** A node in this application. */
@Factory
class ClusterFactory {

    /** Starts the node with the application, and stops it when the application ends. */
    @Context
    @Bean(preDestroy = "close")
    Cluster cluster(@Value("${dht.node}") String self, @Value("${dht.nodes}") List<String> nodes) {
        Topology topology =
                Topology.of(nodes.stream().map(ClusterFactory::node).toArray(Node[]::new));
        Node own = topology.node(new NodeId(self))
                .orElseThrow(() -> new IllegalArgumentException("dht.node is none of dht.nodes"));
        return ClusterBuilder.of(own.id(), topology)
                .transport(TcpTransport.create(TcpTransportOptions.at(own.host(), own.port())))
                .store(new MemoryStore())
                .start();
    }

    private static Node node(String entry) {
        String[] parts = entry.split("=", 2);
        return Node.of(parts[0], parts[1]);
    }
}
// end::factory[]
