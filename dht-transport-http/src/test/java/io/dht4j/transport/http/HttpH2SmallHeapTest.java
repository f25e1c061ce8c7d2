package io.dht4j.transport.http;

import io.dht4j.transport.http.contract.HttpSmallHeapContract;

class HttpH2SmallHeapTest extends HttpSmallHeapContract {

    HttpH2SmallHeapTest() {
        super(HttpClientKind.VERTX_H2);
    }
}
