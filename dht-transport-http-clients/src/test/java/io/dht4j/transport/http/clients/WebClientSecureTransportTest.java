package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpSecureTransportContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class WebClientSecureTransportTest extends HttpSecureTransportContract {

    WebClientSecureTransportTest() {
        super(HttpClients.WEBCLIENT);
    }
}
