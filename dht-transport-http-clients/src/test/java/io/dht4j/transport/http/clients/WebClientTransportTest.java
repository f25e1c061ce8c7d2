package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpClientContract;
import org.junit.jupiter.api.Tag;

@Tag("variant")
@Tag("full")
class WebClientTransportTest extends HttpClientContract {

    WebClientTransportTest() {
        super(HttpClients.WEBCLIENT);
    }

    /** WebClient does not tell which connection carries a request. */
    @Override
    public boolean cancelsHandlers() {
        return false;
    }
}
