package io.dht4j.examples.measure;

import io.dht4j.examples.transport.TcpTransport;
import io.dht4j.lab.TransportCandidate;
import io.dht4j.spi.Transport;

/** The example of a transport, to be measured beside the library's. */
// tag::candidate[]
public final class TcpCandidate implements TransportCandidate {

    /** Creates the candidate; for the lab. */
    public TcpCandidate() {}

    @Override
    public String name() {
        return "my-tcp";
    }

    @Override
    public Transport at(String address) {
        int colon = address.lastIndexOf(':');
        return new TcpTransport(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }
}
// end::candidate[]
