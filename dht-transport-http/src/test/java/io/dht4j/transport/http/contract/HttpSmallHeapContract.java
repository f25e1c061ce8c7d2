package io.dht4j.transport.http.contract;

import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.SmallHeapContract;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.time.Duration;

/** The contract of transports that lack memory, over HTTP with one client. */
public abstract class HttpSmallHeapContract extends SmallHeapContract {

    private final HttpClientKind client;

    /** Constructor for subclasses, which have one without parameters. */
    protected HttpSmallHeapContract(HttpClientKind client) {
        this.client = client;
    }

    @Override
    protected Transport newTransport() {
        return HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 0)
                .withClient(client)
                .withMaxInFlightBytes(1L << 30)
                .withMaxFrameBytes(MAX_FRAME_BYTES)
                .withConnectTimeout(Duration.ofSeconds(30))
                .withDrainTimeout(Duration.ofMillis(100)));
    }

    @Override
    protected int port(Transport transport) {
        return ((HttpTransport) transport).port();
    }
}
