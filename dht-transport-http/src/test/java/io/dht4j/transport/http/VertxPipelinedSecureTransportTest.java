package io.dht4j.transport.http;

class VertxPipelinedSecureTransportTest extends HttpSecureTransportContract {

    VertxPipelinedSecureTransportTest() {
        super(HttpClientKind.VERTX_PIPELINED);
    }
}
