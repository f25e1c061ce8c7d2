package io.dht4j.transport.http;

class WebClientTransportTest extends HttpClientContract {

    WebClientTransportTest() {
        super(HttpClientKind.WEBCLIENT);
    }

    /** WebClient does not tell which connection carries a request. */
    @Override
    protected boolean tellsPeerOfCancelling() {
        return false;
    }
}
