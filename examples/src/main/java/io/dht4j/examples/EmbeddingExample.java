package io.dht4j.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.nio.file.Path;
import java.util.Optional;

/** A node of a cluster in an application's own process. */
public final class EmbeddingExample {

    private EmbeddingExample() {}

    /** Runs a cluster of one node. */
    public static void main(String[] args) {
        System.out.println(greet("n1", Topology.of(Node.of("n1", "127.0.0.1:7001")), 7001, Path.of("greeting-data")));
    }

    /** Starts a node, writes a key, reads it back, and stops the node. */
    static String greet(String name, Topology nodes, int port, Path directory) {
        // tag::embed[]
        try (Cluster cluster = ClusterBuilder.of(name, nodes)
                .transport(HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port)))
                .store(MvStore.open(directory, MvStoreOptions.defaults()))
                .start()) {
            cluster.put(Key.of("greeting"), "hello".getBytes(UTF_8))
                    .toCompletableFuture()
                    .join();
            Optional<Value> greeting =
                    cluster.get(Key.of("greeting")).toCompletableFuture().join();
            return greeting.map(Value::text).orElse("absent");
        }
        // end::embed[]
    }
}
