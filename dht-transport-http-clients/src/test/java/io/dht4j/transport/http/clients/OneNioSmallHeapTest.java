package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpSmallHeapContract;

class OneNioSmallHeapTest extends HttpSmallHeapContract {

    OneNioSmallHeapTest() {
        super(HttpClients.ONE_NIO);
    }
}
