package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class VertxPipelinedSecureTransportTest extends HttpSecureTransportContract {

    VertxPipelinedSecureTransportTest() {
        super(HttpClientKind.VERTX_PIPELINED);
    }
}
