package io.dht4j.transport.http;

import io.dht4j.Node;
import io.dht4j.simulator.contract.ClusterOverTransportContract;
import io.dht4j.spi.Transport;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A cluster over HTTP, whichever client its nodes call each other with. */
@Tag("portable")
class ClusterOverHttpTest {

    private abstract static class OverHttp extends ClusterOverTransportContract {

        private final HttpClientKind kind;

        OverHttp(HttpClientKind kind) {
            this.kind = kind;
        }

        @Override
        public Transport newTransport(Node self) {
            int port = Integer.parseInt(self.address().substring(self.address().lastIndexOf(':') + 1));
            return HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port)
                    .withClient(kind)
                    .withDrainTimeout(Duration.ofMillis(100)));
        }
    }

    @Nested
    class Vertx extends OverHttp {
        Vertx() {
            super(HttpClientKind.VERTX);
        }
    }

    @Nested
    @Tag("variant")
    class VertxPipelined extends OverHttp {
        VertxPipelined() {
            super(HttpClientKind.VERTX_PIPELINED);
        }
    }

    @Nested
    @Tag("variant")
    class VertxH2 extends OverHttp {
        VertxH2() {
            super(HttpClientKind.VERTX_H2);
        }
    }

    @Nested
    @Tag("variant")
    class WebClient extends OverHttp {
        WebClient() {
            super(HttpClientKind.WEBCLIENT);
        }
    }

    @Nested
    @Tag("variant")
    class Jdk extends OverHttp {
        Jdk() {
            super(HttpClientKind.JDK);
        }
    }

    @Nested
    @Tag("variant")
    class JdkH2 extends OverHttp {
        JdkH2() {
            super(HttpClientKind.JDK_H2);
        }
    }

    @Nested
    @Tag("variant")
    class OneNio extends OverHttp {
        OneNio() {
            super(HttpClientKind.ONE_NIO);
        }
    }
}
