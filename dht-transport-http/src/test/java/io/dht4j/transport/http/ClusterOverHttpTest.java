package io.dht4j.transport.http;

import io.dht4j.Node;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.ClusterOverTransportContract;
import java.time.Duration;

class ClusterOverHttpTest extends ClusterOverTransportContract {

    @Override
    protected Transport newTransport(Node self) {
        int port = Integer.parseInt(self.address().substring(self.address().lastIndexOf(':') + 1));
        return HttpTransport.create(
                HttpTransportOptions.at("127.0.0.1", port).withDrainTimeout(Duration.ofMillis(100)));
    }
}
