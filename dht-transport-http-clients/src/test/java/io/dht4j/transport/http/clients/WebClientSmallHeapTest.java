package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpSmallHeapContract;

class WebClientSmallHeapTest extends HttpSmallHeapContract {

    WebClientSmallHeapTest() {
        super(HttpClients.WEBCLIENT);
    }
}
