package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.HttpSmallHeapContract;

class JdkH2SmallHeapTest extends HttpSmallHeapContract {

    JdkH2SmallHeapTest() {
        super(HttpClients.JDK_H2);
    }
}
