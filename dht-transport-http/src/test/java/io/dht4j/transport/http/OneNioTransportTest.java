package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class OneNioTransportTest extends HttpClientContract {

    OneNioTransportTest() {
        super(HttpClientKind.ONE_NIO);
    }
}
