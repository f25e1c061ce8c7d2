package io.dht4j.transport.http.internal.vertx;

import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.contract.HttpSecureTransportContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class VertxH2SecureTransportTest extends HttpSecureTransportContract {

    VertxH2SecureTransportTest() {
        super(HttpClientKind.VERTX_H2);
    }
}
