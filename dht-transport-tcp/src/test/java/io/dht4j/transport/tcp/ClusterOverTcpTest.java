package io.dht4j.transport.tcp;

import io.dht4j.Node;
import io.dht4j.simulator.contract.ClusterOverTransportContract;
import io.dht4j.spi.Transport;
import java.time.Duration;

/** A cluster over TCP. */
class ClusterOverTcpTest extends ClusterOverTransportContract {

    private static TcpTransportOptions options(Node self) {
        return TcpTransportOptions.at("127.0.0.1", self.port()).withDrainTimeout(Duration.ofMillis(100));
    }

    @Override
    public Transport newTransport(Node self) {
        return TcpTransport.create(options(self));
    }

    @Override
    public Transport newNarrowTransport(Node self) {
        return TcpTransport.create(options(self).withMaxFrameBytes(5 << 20).withMaxInFlightBytes(5 << 20));
    }
}
