package io.dht4j.simulator.contract;

import io.dht4j.Node;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.FreePorts;
import java.util.List;

/**
 * The contract of a cluster over every {@link Transport}: three nodes n1, n2, n3 in this process, over the transports
 * of a subclass, with stores in memory. The tests send every request and reply of the core over the wire, with and
 * without batching. The contract is composed of suites: for the exchanged messages, and for the nodes.
 */
public abstract class ClusterOverTransportContract implements DataSuite, NodesSuite {

    /** Constructor for subclasses. */
    protected ClusterOverTransportContract() {}

    /**
     * Creates a transport that has not been started. It carries frames of at least 17 MiB.
     *
     * @param self the node of the transport: its name and listening address
     * @return a new transport, which its node closes
     */
    @Override
    public abstract Transport newTransport(Node self);

    /**
     * Returns distinct addresses without a listening process.
     *
     * @param count how many
     * @return by default free ports of this machine
     */
    @Override
    public List<String> newAddresses(int count) {
        return FreePorts.find(count).stream().map(port -> "127.0.0.1:" + port).toList();
    }
}
