package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpSmallHeapContract;

class JdkSmallHeapTest extends HttpSmallHeapContract {

    JdkSmallHeapTest() {
        super(HttpClients.JDK);
    }
}
