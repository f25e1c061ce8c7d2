package io.dht4j.transport.http;

import io.dht4j.transport.http.contract.HttpSmallHeapContract;

class HttpSmallHeapTest extends HttpSmallHeapContract {

    HttpSmallHeapTest() {
        super(HttpClientKind.VERTX);
    }
}
