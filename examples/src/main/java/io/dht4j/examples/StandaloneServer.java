package io.dht4j.examples;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.nio.file.Path;
import java.util.Arrays;

/** A server of your own: a durable node that serves its peers and its HTTP clients on one port. */
public final class StandaloneServer implements AutoCloseable {

    private final Cluster cluster;
    private final HttpApi api;

    // tag::server[]
    /** Starts node {@code name} of the cluster and serves until {@link #close}. */
    StandaloneServer(String name, int port, Topology nodes, Path directory) {
        HttpTransport transport = HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port));
        cluster = ClusterBuilder.of(name, nodes)
                .transport(transport)
                .store(MvStore.open(directory, MvStoreOptions.defaults()))
                .start();
        api = HttpApi.sharing(transport, cluster, HttpApiOptions.defaults());
    }
    // end::server[]

    /** Serves until the process is stopped. Arguments: NAME PORT DIRECTORY NAME=HOST:PORT ... */
    public static void main(String[] args) {
        Node[] nodes = Arrays.stream(args, 3, args.length)
                .map(peer -> peer.split("=", 2))
                .map(peer -> Node.of(peer[0], peer[1]))
                .toArray(Node[]::new);
        StandaloneServer server =
                new StandaloneServer(args[0], Integer.parseInt(args[1]), Topology.of(nodes), Path.of(args[2]));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "shutdown"));
    }

    /** Returns the node itself, for calls without a network. */
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
