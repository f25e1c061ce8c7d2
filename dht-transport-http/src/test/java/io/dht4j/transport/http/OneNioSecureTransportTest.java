package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class OneNioSecureTransportTest extends HttpSecureTransportContract {

    OneNioSecureTransportTest() {
        super(HttpClientKind.ONE_NIO);
    }
}
