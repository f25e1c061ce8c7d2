package io.dht4j.transport.http;

class OneNioSecureTransportTest extends HttpSecureTransportContract {

    OneNioSecureTransportTest() {
        super(HttpClientKind.ONE_NIO);
    }
}
