package io.dht4j.transport.http;

import io.dht4j.transport.http.contract.HttpSmallHeapContract;

class HttpPipelinedSmallHeapTest extends HttpSmallHeapContract {

    HttpPipelinedSmallHeapTest() {
        super(HttpClientKind.VERTX_PIPELINED);
    }
}
