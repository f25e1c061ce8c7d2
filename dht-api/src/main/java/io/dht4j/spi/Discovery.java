package io.dht4j.spi;

import io.dht4j.Node;
import java.io.IOException;
import java.util.List;

/** Finds the seeds through which a node joins a cluster. Safe for use by any number of threads. */
@FunctionalInterface
public interface Discovery {

    /**
     * Finds nodes. Called on a store thread of a node that does not serve yet, again and again until it has joined. May
     * block for some seconds.
     *
     * @return some nodes of the cluster with their names and the addresses of their transports, any of which may be
     *     down; the caller itself is left out if it is among them
     * @throws IOException if none can be found now; its message, one line, says why and where
     */
    List<Node> find() throws IOException;
}
