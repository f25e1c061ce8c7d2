package io.dht4j.transport.http;

import org.junit.jupiter.api.Tag;

@Tag("variant")
class WebClientSecureTransportTest extends HttpSecureTransportContract {

    WebClientSecureTransportTest() {
        super(HttpClientKind.WEBCLIENT);
    }
}
