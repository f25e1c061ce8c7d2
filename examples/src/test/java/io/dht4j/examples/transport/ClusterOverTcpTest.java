package io.dht4j.examples.transport;

import io.dht4j.Node;
import io.dht4j.simulator.contract.ClusterOverTransportContract;
import io.dht4j.spi.Transport;

// tag::cluster[]
class ClusterOverTcpTest extends ClusterOverTransportContract {

    @Override
    public Transport newTransport(Node self) {
        String address = self.address();
        return new TcpTransport("127.0.0.1", Integer.parseInt(address.substring(address.indexOf(':') + 1)));
    }
}
// end::cluster[]
