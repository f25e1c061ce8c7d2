package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.contract.ClusterOverHttpContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A cluster over HTTP with each further client. */
class ClusterOverHttpClientsTest {

    @Nested
    @Tag("variant")
    class WebClient extends ClusterOverHttpContract {
        WebClient() {
            super(HttpClients.WEBCLIENT);
        }
    }

    @Nested
    @Tag("variant")
    class Jdk extends ClusterOverHttpContract {
        Jdk() {
            super(HttpClients.JDK);
        }
    }

    @Nested
    @Tag("variant")
    class JdkH2 extends ClusterOverHttpContract {
        JdkH2() {
            super(HttpClients.JDK_H2);
        }
    }

    @Nested
    @Tag("variant")
    class OneNio extends ClusterOverHttpContract {
        OneNio() {
            super(HttpClients.ONE_NIO);
        }
    }
}
