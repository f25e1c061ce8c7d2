package io.dht4j.server;

import io.dht4j.Cluster;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Wraps or replaces components of a node, for a benchmark or a test that observes them. Called by the thread that
 * starts the node.
 */
public interface NodeCustomizer {

    /** Leaves all components as they are. */
    NodeCustomizer NONE = new NodeCustomizer() {};

    /**
     * Creates the store.
     *
     * @param config of the node
     * @param memory of the node
     * @param standard opens the configured one
     * @return an open store, which the node closes
     */
    default Store store(ServerConfig config, MemoryBudget memory, Supplier<Store> standard) {
        return standard.get();
    }

    /**
     * Creates the transport.
     *
     * @param config of the node, whose peer address the transport listens at
     * @param standard creates the configured one
     * @return a transport that is not started yet, which the node closes
     */
    default Transport newTransport(ServerConfig config, Supplier<Transport> standard) {
        return standard.get();
    }

    /**
     * Returns the placement, the same on every node.
     *
     * @param placement as configured
     * @return the same, or another one
     */
    default Placement placement(Placement placement) {
        return placement;
    }

    /**
     * Returns the hash function of keys, the same on every node.
     *
     * @param hash as configured
     * @return the same, or another one
     */
    default HashFunction hash(HashFunction hash) {
        return hash;
    }

    /**
     * Returns the transport for the node's requests to other nodes.
     *
     * @param transport of {@link #newTransport}; not started yet
     * @return the same, or another one around it that starts and closes it
     */
    default Transport transport(Transport transport) {
        return transport;
    }

    /**
     * Returns the observer of the node's calls and of its requests to other nodes.
     *
     * @param observer that of the metrics
     * @return the same, another one, or empty for none
     */
    default Optional<Observer> observer(Observer observer) {
        return Optional.of(observer);
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
