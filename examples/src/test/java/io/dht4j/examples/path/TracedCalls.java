package io.dht4j.examples.path;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** The program whose calls {@link CallPathTest} traces: three nodes over TCP, the first with the HTTP API. */
final class TracedCalls {

    private static final int WARM_UP = 50;
    private static final int TRACED = 5;
    private static final long STORE_BYTES = 1 << 20;

    private TracedCalls() {}

    public static void main(String[] args) throws Exception {
        Topology nodes = Topology.of(node("n1"), node("n2"), node("n3"));
        List<Cluster> clusters = new ArrayList<>();
        for (Node node : nodes.nodes()) {
            clusters.add(ClusterBuilder.of(node.id(), nodes)
                    .transport(TcpTransport.create(TcpTransportOptions.at(node.host(), node.port())))
                    .store(new MemoryStore(STORE_BYTES))
                    .start());
        }
        for (Cluster cluster : clusters) {
            cluster.ready().toCompletableFuture().join();
        }
        Cluster cluster = clusters.get(0);
        HttpApi api = HttpApi.listening("127.0.0.1", 0, cluster, HttpApiOptions.defaults());
        HttpClient client = HttpClient.newHttpClient();
        URI entity = URI.create("http://127.0.0.1:" + api.port() + "/v0/entity?id=k");
        Key key = Key.of("k");
        byte[] value = new byte[10];

        Map<String, Callable<?>> calls = new LinkedHashMap<>();
        calls.put(
                "embedded put",
                () -> cluster.put(key, value).toCompletableFuture().join());
        calls.put("embedded get", () -> cluster.get(key).toCompletableFuture().join());
        calls.put(
                "PUT over HTTP",
                () -> send(client, HttpRequest.newBuilder(entity).PUT(HttpRequest.BodyPublishers.ofByteArray(value))));
        calls.put("GET over HTTP", () -> send(client, HttpRequest.newBuilder(entity)));
        for (int i = 0; i < WARM_UP; i++) {
            for (Callable<?> call : calls.values()) {
                call.call();
            }
        }
        for (int i = 0; i < TRACED; i++) {
            for (Map.Entry<String, Callable<?>> call : calls.entrySet()) {
                begin(call.getKey());
                call.getValue().call();
                end();
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** The debugger stops here. */
    static void begin(String call) {}

    /** And here. */
    static void end() {}

    private static int send(HttpClient client, HttpRequest.Builder request) throws IOException, InterruptedException {
        int status = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                .statusCode();
        if (status >= 300) {
            throw new IOException("the node has answered " + status);
        }
        return status;
    }

    private static Node node(String name) {
        try (ServerSocket free = new ServerSocket(0)) {
            return Node.of(name, "127.0.0.1:" + free.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
