package io.dht4j.transport.http;

class VertxSecureTransportTest extends HttpSecureTransportContract {

    VertxSecureTransportTest() {
        super(HttpClientKind.VERTX);
    }
}
