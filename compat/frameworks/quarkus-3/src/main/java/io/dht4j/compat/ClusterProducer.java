package io.dht4j.compat;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;

// tag::producer[]
/** A node in this application. */
@ApplicationScoped
public class ClusterProducer {

    /** Starts the node with the application. */
    @Produces
    @Singleton
    @Startup
    Cluster cluster(
            @ConfigProperty(name = "dht.node") String self,
            @ConfigProperty(name = "dht.nodes") List<String> nodes) {
        Topology topology =
                Topology.of(nodes.stream().map(ClusterProducer::node).toArray(Node[]::new));
        Node own = topology.node(new NodeId(self))
                .orElseThrow(() -> new IllegalArgumentException("dht.node is none of dht.nodes"));
        return ClusterBuilder.of(own.id(), topology)
                .transport(TcpTransport.create(TcpTransportOptions.at(own.host(), own.port())))
                .store(new MemoryStore())
                .start();
    }

    /** Stops the node when the application ends. */
    void close(@Disposes Cluster cluster) {
        cluster.close();
    }

    private static Node node(String entry) {
        String[] parts = entry.split("=", 2);
        return Node.of(parts[0], parts[1]);
    }
}
// end::producer[]
