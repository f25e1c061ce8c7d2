package io.dht4j.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;

/** A node of a cluster in an application's own process. The README shows it. */
public final class EmbeddingExample {

    private EmbeddingExample() {}

    /**
     * Starts a node, writes a key, reads it back, and stops the node.
     *
     * @param name this node's name
     * @param topology all nodes
     * @param port this node's port, the same as in the topology
     * @param directory where this node keeps its entries
     * @param out is told what was read
     */
    public static void run(String name, Topology topology, int port, Path directory, PrintStream out) {
        // tag::embed[]
        try (Cluster cluster = ClusterBuilder.of(name, topology)
                .transport(HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port)))
                .store(MvStore.open(directory, MvStoreOptions.defaults()))
                .start()) {
            cluster.put(Key.of("greeting"), "hello".getBytes(UTF_8))
                    .toCompletableFuture()
                    .join();
            Optional<Value> greeting =
                    cluster.get(Key.of("greeting")).toCompletableFuture().join();
            out.println(greeting.map(Value::text).orElse("absent"));
        }
        // end::embed[]
    }
}
