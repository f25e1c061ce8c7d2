package io.dht4j.transport.http.internal.vertx;

import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.contract.HttpSecureTransportContract;
import org.junit.jupiter.api.Tag;

@Tag("jdk")
class VertxSecureTransportTest extends HttpSecureTransportContract {

    VertxSecureTransportTest() {
        super(HttpClientKind.VERTX);
    }
}
