package io.dht4j.examples;

// tag::embed[]
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

/** A cluster of one node. */
public final class EmbeddingExample {

    /** Prints the greeting. */
    public static void main(String[] args) {
        Node self = Node.of("n1", "127.0.0.1:7001");
        System.out.println(greet(self, Topology.of(self), Path.of("data")));
    }

    static String greet(Node self, Topology nodes, Path directory) {
        try (Cluster cluster = ClusterBuilder.of(self.id(), nodes)
                .transport(HttpTransport.create(HttpTransportOptions.at(self.host(), self.port())))
                .store(MvStore.open(directory, MvStoreOptions.defaults()))
                .start()) {
            cluster.put(Key.of("greeting"), "hello".getBytes(UTF_8))
                    .toCompletableFuture()
                    .join();
            return cluster.get(Key.of("greeting"))
                    .toCompletableFuture()
                    .join()
                    .map(Value::text)
                    .orElse("absent");
        }
    }
}
// end::embed[]
