package io.dht4j.server;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Batching;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.GrpcMode;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.clients.HttpClients;
import io.dht4j.transport.http.contract.api.HttpApiContract;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Runs the contract of the public HTTP API over each transport between the nodes, and each of its settings. */
@Timeout(120)
@Tag("full")
class HttpApiOverTransportsTest {

    @Nested
    @Tag("variant")
    class GrpcUnary extends Contract {
        GrpcUnary() {
            super(grpc(GrpcMode.UNARY), Batching.on());
        }
    }

    @Nested
    @Tag("full")
    class GrpcUnaryWithoutBatching extends Contract {
        GrpcUnaryWithoutBatching() {
            super(grpc(GrpcMode.UNARY), Batching.off());
        }
    }

    @Nested
    class GrpcStream extends Contract {
        GrpcStream() {
            super(grpc(GrpcMode.STREAM), Batching.on());
        }
    }

    @Nested
    @Tag("full")
    class GrpcStreamWithoutBatching extends Contract {
        GrpcStreamWithoutBatching() {
            super(grpc(GrpcMode.STREAM), Batching.off());
        }
    }

    @Nested
    class Tcp extends Contract {
        Tcp() {
            super(tcp(), Batching.on());
        }
    }

    @Nested
    @Tag("full")
    class TcpWithoutBatching extends Contract {
        TcpWithoutBatching() {
            super(tcp(), Batching.off());
        }
    }

    @Nested
    class HttpVertx extends Contract {
        HttpVertx() {
            super(http(HttpClientKind.VERTX), Batching.on());
        }
    }

    @Nested
    @Tag("full")
    class HttpVertxWithoutBatching extends Contract {
        HttpVertxWithoutBatching() {
            super(http(HttpClientKind.VERTX), Batching.off());
        }
    }

    @Nested
    @Tag("full")
    class HttpVertxPipelined extends Contract {
        HttpVertxPipelined() {
            super(http(HttpClientKind.VERTX_PIPELINED), Batching.on());
        }
    }

    @Nested
    @Tag("variant")
    class HttpVertxH2 extends Contract {
        HttpVertxH2() {
            super(http(HttpClientKind.VERTX_H2), Batching.on());
        }
    }

    @Nested
    @Tag("full")
    class HttpWebClient extends Contract {
        HttpWebClient() {
            super(http(HttpClients.WEBCLIENT), Batching.on());
        }
    }

    @Nested
    @Tag("variant")
    class HttpJdk extends Contract {
        HttpJdk() {
            super(http(HttpClients.JDK), Batching.on());
        }
    }

    @Nested
    @Tag("full")
    class HttpJdkH2 extends Contract {
        HttpJdkH2() {
            super(http(HttpClients.JDK_H2), Batching.on());
        }
    }

    @Nested
    @Tag("variant")
    class HttpOneNio extends Contract {
        HttpOneNio() {
            super(http(HttpClients.ONE_NIO), Batching.on());
        }
    }

    private static BiFunction<String, Integer, Transport> http(HttpClientKind kind) {
        return (host, port) ->
                HttpTransport.create(HttpTransportOptions.at(host, port).withClient(kind));
    }

    private static BiFunction<String, Integer, Transport> tcp() {
        return (host, port) -> TcpTransport.create(TcpTransportOptions.at(host, port));
    }

    private static BiFunction<String, Integer, Transport> grpc(GrpcMode mode) {
        return (host, port) ->
                GrpcTransport.create(GrpcTransportOptions.at(host, port).withMode(mode));
    }

    /** Runs three nodes in this process, each with an API on a port of its own. */
    private abstract static class Contract extends HttpApiContract {

        private final BiFunction<String, Integer, Transport> transports;
        private final Batching batching;

        Contract(BiFunction<String, Integer, Transport> transports, Batching batching) {
            this.transports = transports;
            this.batching = batching;
        }

        @Override
        public Nodes startNodes() {
            return new ThreeNodes(transports, batching);
        }
    }

    private static final class ThreeNodes implements HttpApiContract.Nodes {

        private static final String HOST = "127.0.0.1";

        private final BiFunction<String, Integer, Transport> transports;
        private final Batching batching;
        private final List<Integer> ports = FreePorts.find(3);
        private final Topology topology = Topology.of(
                Node.of("n1", HOST + ":" + ports.get(0)),
                Node.of("n2", HOST + ":" + ports.get(1)),
                Node.of("n3", HOST + ":" + ports.get(2)));
        private final Cluster[] clusters = new Cluster[3];
        private final HttpApi[] apis = new HttpApi[3];

        ThreeNodes(BiFunction<String, Integer, Transport> transports, Batching batching) {
            this.transports = transports;
            this.batching = batching;
            for (int node = 0; node < 3; node++) {
                start(node);
            }
        }

        @Override
        public URI base(int node) {
            return URI.create("http://" + HOST + ":" + apis[node].port());
        }

        @Override
        public void start(int node) {
            clusters[node] = ClusterBuilder.of(topology.nodes().get(node).id(), topology)
                    .transport(transports.apply(HOST, ports.get(node)))
                    .store(new MemoryStore())
                    .batching(batching)
                    .timeout(Duration.ofHours(1))
                    .drainTimeout(Duration.ofSeconds(1))
                    .start();
            apis[node] = HttpApi.listening(HOST, 0, clusters[node], HttpApiOptions.defaults());
        }

        @Override
        public void stop(int node) {
            apis[node].close();
            clusters[node].close();
        }

        @Override
        public void close() {
            for (int node = 0; node < 3; node++) {
                stop(node);
            }
        }
    }
}
