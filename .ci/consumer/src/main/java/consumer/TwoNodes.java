package consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

/** Two nodes in one process: what is written through one of them is read through the other one. */
public final class TwoNodes {

    private TwoNodes() {}

    /** Prints the value that was read. */
    public static void main(String[] args) throws IOException {
        int first = freePort();
        int second = freePort();
        Topology nodes = Topology.of(Node.of("n1", "127.0.0.1:" + first), Node.of("n2", "127.0.0.1:" + second));
        try (Cluster one = start("n1", nodes, first, Path.of("data", "n1"));
                Cluster two = start("n2", nodes, second, Path.of("data", "n2"))) {
            one.put(Key.of("greeting"), "hello".getBytes(UTF_8)).toCompletableFuture().join();
            System.out.println(two.get(Key.of("greeting")).toCompletableFuture().join().orElseThrow().text());
        }
    }

    private static Cluster start(String name, Topology nodes, int port, Path directory) {
        return ClusterBuilder.of(name, nodes)
                .transport(HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port)))
                .store(MvStore.open(directory, MvStoreOptions.defaults()))
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
