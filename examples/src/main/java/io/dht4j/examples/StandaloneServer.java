package io.dht4j.examples;

// tag::server[]
import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.nio.file.Path;

/** A durable node that serves its peers and its HTTP clients on one port. */
public final class StandaloneServer implements AutoCloseable {

    private static final Topology NODES = Topology.of(
            Node.of("n1", "127.0.0.1:8081"), Node.of("n2", "127.0.0.1:8082"), Node.of("n3", "127.0.0.1:8083"));

    private final Cluster cluster;
    private final HttpApi api;

    /** Returns when the node listens, and does not wait for the other nodes. */
    StandaloneServer(NodeId name, Topology nodes, Path directory) {
        Node self = nodes.node(name)
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no node " + name + " among " + nodes.nodes()));
        HttpTransport transport = HttpTransport.create(HttpTransportOptions.at(self.host(), self.port()));
        cluster = ClusterBuilder.of(name, nodes)
                .transport(transport)
                .store(MvStore.open(directory, MvStoreOptions.defaults()))
                .start();
        api = HttpApi.sharing(transport, cluster, HttpApiOptions.defaults());
    }

    /** Serves until the process is stopped. The argument is the name of the node: n1, n2 or n3. */
    public static void main(String[] args) {
        if (args.length != 1) {
            throw new IllegalArgumentException("the argument is the name of the node: n1, n2 or n3");
        }
        StandaloneServer server = new StandaloneServer(new NodeId(args[0]), NODES, Path.of("data", args[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "shutdown"));
        System.out.println(args[0] + " waits for another node");
        server.cluster().ready().thenRun(() -> System.out.println(args[0] + " is ready"));
    }

    /** Returns the node itself, for calls within the process. */
    Cluster cluster() {
        return cluster;
    }

    /** Completes requests in flight, then stops. */
    @Override
    public void close() {
        api.close();
        cluster.close();
    }
}
// end::server[]
