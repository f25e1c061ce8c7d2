package io.dht4j.transport.http;

class OneNioTransportTest extends HttpClientContract {

    OneNioTransportTest() {
        super(HttpClientKind.ONE_NIO);
    }
}
