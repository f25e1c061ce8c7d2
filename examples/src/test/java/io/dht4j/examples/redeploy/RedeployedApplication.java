package io.dht4j.examples.redeploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.UnavailableException;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.RemoteApi;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/** An application that embeds two nodes, as a class loader of its own loads it. */
public abstract class RedeployedApplication implements Callable<String> {

    /** Returns the transport of a node. */
    abstract Transport transport(Node node);

    /** Starts the nodes, writes at one and reads at the other, and closes them. Returns what it has read. */
    @Override
    public String call() {
        var ports = FreePorts.find(2);
        Node first = Node.of("n1", "127.0.0.1:" + ports.get(0));
        Node second = Node.of("n2", "127.0.0.1:" + ports.get(1));
        Topology nodes = Topology.of(first, second);
        try (Cluster writer = start(first, nodes);
                Cluster reader = start(second, nodes)) {
            return greet(writer, reader);
        }
    }

    private static String greet(Cluster writer, Cluster reader) {
        writer.put(Key.of("greeting"), "hello".getBytes(UTF_8))
                .toCompletableFuture()
                .join();
        return reader.get(Key.of("greeting"))
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .text();
    }

    private Cluster start(Node self, Topology nodes) {
        return ClusterBuilder.of(self.id(), nodes)
                .transport(transport(self))
                .store(new MemoryStore())
                .start();
    }

    /** The application over HTTP. */
    public static final class OverHttp extends RedeployedApplication {
        @Override
        Transport transport(Node node) {
            return HttpTransport.create(HttpTransportOptions.at(node.host(), node.port()));
        }
    }

    /** An application with a node and a remote client, both over HTTP. */
    public static final class RemoteOverHttp implements Callable<String> {
        @Override
        public String call() {
            Node self = Node.of("n1", "127.0.0.1:" + FreePorts.find());
            HttpTransport transport = HttpTransport.create(HttpTransportOptions.at(self.host(), self.port()));
            try (Cluster node = ClusterBuilder.of(self.id(), Topology.of(self))
                            .transport(transport)
                            .store(new MemoryStore())
                            .start();
                    HttpApi api = HttpApi.sharing(transport, node, HttpApiOptions.defaults());
                    Cluster client = RemoteCluster.connect(
                            HttpRemote.create(HttpRemoteOptions.defaults()),
                            List.of(self.host() + ":" + api.port()),
                            RemoteOptions.defaults())) {
                return greet(client, client);
            }
        }
    }

    /** Fails to connect, as no node answers. Returns what the application would have read. */
    private static String connectInVain(RemoteApi api) {
        RemoteOptions options = RemoteOptions.defaults().withConnectTimeout(Duration.ofSeconds(1));
        try (Cluster client = RemoteCluster.connect(api, List.of("127.0.0.1:1"), options)) {
            return "connected to " + client;
        } catch (UnavailableException e) {
            return "hello";
        }
    }

    /** An application whose remote client reaches no node over HTTP. */
    public static final class InVainOverHttp implements Callable<String> {
        @Override
        public String call() {
            return connectInVain(HttpRemote.create(HttpRemoteOptions.defaults()));
        }
    }

    /** An application whose remote client reaches no node over gRPC. */
    public static final class InVainOverGrpc implements Callable<String> {
        @Override
        public String call() {
            return connectInVain(GrpcRemote.create(GrpcRemoteOptions.defaults()));
        }
    }

    /** The application over gRPC. */
    public static final class OverGrpc extends RedeployedApplication {
        @Override
        Transport transport(Node node) {
            return GrpcTransport.create(GrpcTransportOptions.at(node.host(), node.port()));
        }
    }

    /** The application over TCP. */
    public static final class OverTcp extends RedeployedApplication {
        @Override
        Transport transport(Node node) {
            return TcpTransport.create(TcpTransportOptions.at(node.host(), node.port()));
        }
    }
}
