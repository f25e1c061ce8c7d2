package io.dht4j.transport.tcp;

import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.SmallHeapContract;
import java.time.Duration;

class TcpSmallHeapTest extends SmallHeapContract {

    @Override
    protected Transport newTransport() {
        return TcpTransport.create(TcpTransportOptions.at("127.0.0.1", 0)
                .withMaxInFlightBytes(1L << 30)
                .withMaxFrameBytes(MAX_FRAME_BYTES)
                .withConnectTimeout(Duration.ofSeconds(30))
                .withDrainTimeout(Duration.ofMillis(100)));
    }

    @Override
    protected int port(Transport transport) {
        return ((TcpTransport) transport).port();
    }
}
