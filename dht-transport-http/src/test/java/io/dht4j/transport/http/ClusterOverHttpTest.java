package io.dht4j.transport.http;

import io.dht4j.transport.http.contract.ClusterOverHttpContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A cluster over HTTP with each of Vert.x's clients. */
class ClusterOverHttpTest {

    @Nested
    class Vertx extends ClusterOverHttpContract {
        Vertx() {
            super(HttpClientKind.VERTX);
        }
    }

    @Nested
    @Tag("variant")
    class VertxPipelined extends ClusterOverHttpContract {
        VertxPipelined() {
            super(HttpClientKind.VERTX_PIPELINED);
        }
    }

    @Nested
    @Tag("variant")
    class VertxH2 extends ClusterOverHttpContract {
        VertxH2() {
            super(HttpClientKind.VERTX_H2);
        }
    }
}
