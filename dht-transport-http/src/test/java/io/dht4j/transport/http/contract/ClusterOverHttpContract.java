package io.dht4j.transport.http.contract;

import io.dht4j.Node;
import io.dht4j.simulator.contract.ClusterOverTransportContract;
import io.dht4j.spi.Transport;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.time.Duration;

/** A cluster over HTTP whose nodes call each other with one kind of client. */
public abstract class ClusterOverHttpContract extends ClusterOverTransportContract {

    private final HttpClientKind kind;

    protected ClusterOverHttpContract(HttpClientKind kind) {
        this.kind = kind;
    }

    @Override
    public Transport newTransport(Node self) {
        int port = Integer.parseInt(self.address().substring(self.address().lastIndexOf(':') + 1));
        return HttpTransport.create(
                HttpTransportOptions.at("127.0.0.1", port).withClient(kind).withDrainTimeout(Duration.ofMillis(100)));
    }
}
