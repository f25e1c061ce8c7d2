package io.dht4j.transport.http;

class VertxH2SecureTransportTest extends HttpSecureTransportContract {

    VertxH2SecureTransportTest() {
        super(HttpClientKind.VERTX_H2);
    }
}
