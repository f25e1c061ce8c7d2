package io.dht4j.transport.http.internal.vertx;

import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.contract.HttpClientContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
class VertxH2TransportTest extends HttpClientContract {

    VertxH2TransportTest() {
        super(HttpClientKind.VERTX_H2);
    }

    /** HTTP/2 begins with settings from both sides. */
    @Override
    public boolean greets() {
        return true;
    }
}
