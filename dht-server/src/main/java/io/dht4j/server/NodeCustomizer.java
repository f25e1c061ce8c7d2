package io.dht4j.server;

import io.dht4j.Cluster;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.util.function.Supplier;

/**
 * Wraps or replaces components of a node, for a benchmark or a test that observes them. Called by the thread that
 * starts the node.
 */
public interface NodeCustomizer {

    /** Leaves all components as they are. */
    NodeCustomizer NONE = new NodeCustomizer() {};

    /**
     * Returns the transport for the node's requests to other nodes.
     *
     * @param transport as configured; not started yet
     * @return the same, or another one around it that starts and closes it
     */
    default Transport transport(Transport transport) {
        return transport;
    }

    /**
     * Returns the coordinator of the requests.
     *
     * @param config of the node
     * @param transport to the other nodes; not started yet
     * @param store of the node
     * @param standard starts the library's own, over that transport and store
     * @return a cluster that has started, and closes transport and store when it is closed
     */
    default Cluster cluster(ServerConfig config, Transport transport, Store store, Supplier<Cluster> standard) {
        return standard.get();
    }
}
