package io.dht4j.transport.http;

class WebClientSecureTransportTest extends HttpSecureTransportContract {

    WebClientSecureTransportTest() {
        super(HttpClientKind.WEBCLIENT);
    }
}
