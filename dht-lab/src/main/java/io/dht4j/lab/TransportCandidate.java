package io.dht4j.lab;

import io.dht4j.spi.Transport;
import java.util.Optional;

/**
 * A transport to measure. The implementing class is public, with a public constructor without parameters, so that the
 * lab can load it by its name.
 *
 * <p>The lab calls the methods on its own threads, which may wait. An exception ends the run with one error that names
 * the class and the method.
 */
public interface TransportCandidate {

    /**
     * Returns the name in reports and on the command line.
     *
     * @return 1 to 32 of the letters a to z, digits and hyphens, beginning with a letter; the same at each call
     */
    String name();

    /**
     * Creates a transport of one node. It need not listen before {@link Transport#start}. Each call returns another
     * transport, which the lab closes.
     *
     * @param address the node's {@code host:port}, to listen at; the host is an IP address of this machine
     * @return the transport
     * @throws Exception if it cannot be created
     */
    Transport at(String address) throws Exception;

    /**
     * Starts the bare library beneath the transport, as an upper bound of the transport's figures. Blocks until it
     * answers.
     *
     * @param inFlight the largest number of calls in flight, for a library that needs a connection for each; 1 or more
     * @return client and server of the bare library, which the lab closes; empty by default, for none
     * @throws Exception if it cannot be started
     */
    default Optional<Echo> echo(int inFlight) throws Exception {
        return Optional.empty();
    }
}
