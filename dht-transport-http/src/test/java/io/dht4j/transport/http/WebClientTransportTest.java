package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class WebClientTransportTest extends HttpClientContract {

    WebClientTransportTest() {
        super(HttpClientKind.WEBCLIENT);
    }

    /** WebClient does not tell which connection carries a request. */
    @Override
    public boolean cancelsHandlers() {
        return false;
    }
}
