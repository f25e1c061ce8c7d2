package io.dht4j.transport.http;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A cluster in one process whose nodes share one port each for peers and the public API, and a client for it. */
final class ApiNodes implements AutoCloseable {

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(10))
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final Topology topology;
    private final UnaryOperator<ClusterBuilder> settings;
    private final HttpApiOptions options;
    private final List<Cluster> clusters = new ArrayList<>();
    private final List<HttpApi> apis = new ArrayList<>();

    private ApiNodes(int count, UnaryOperator<ClusterBuilder> settings, HttpApiOptions options) {
        this.settings = settings;
        this.options = options;
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(Node.of("n" + (i + 1), "127.0.0.1:" + FreePorts.find()));
            clusters.add(null);
            apis.add(null);
        }
        this.topology = new Topology(1, nodes);
        for (int i = 0; i < count; i++) {
            start(i);
        }
    }

    static ApiNodes three() {
        return three(HttpApiOptions.defaults());
    }

    static ApiNodes three(HttpApiOptions options) {
        return of(3, builder -> builder, options);
    }

    static ApiNodes of(int count, UnaryOperator<ClusterBuilder> settings, HttpApiOptions options) {
        return new ApiNodes(count, settings, options);
    }

    void start(int node) {
        Node self = topology.nodes().get(node);
        HttpTransport transport = HttpTransport.create(HttpTransportOptions.at(
                "127.0.0.1", Integer.parseInt(self.address().substring(10))));
        Cluster cluster = settings.apply(ClusterBuilder.of(self.id(), topology)
                        .transport(transport)
                        .store(new MemoryStore()))
                .start();
        clusters.set(node, cluster);
        apis.set(node, HttpApi.sharing(transport, cluster, options));
    }

    void stop(int node) {
        apis.get(node).close();
        clusters.get(node).close();
    }

    Cluster cluster(int node) {
        return clusters.get(node);
    }

    HttpApi api(int node) {
        return apis.get(node);
    }

    int port(int node) {
        return apis.get(node).port();
    }

    Topology topology() {
        return topology;
    }

    int indexOf(NodeId id) {
        for (int i = 0; i < topology.size(); i++) {
            if (topology.nodes().get(i).id().equals(id)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no node " + id);
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    URI uri(int node, String target) {
        return URI.create("http://127.0.0.1:" + port(node) + target);
    }

    HttpResponse<byte[]> send(int node, String method, String target, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(node, target))
                .timeout(Duration.ofSeconds(60))
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + target, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<byte[]> get(int node, String target, String... headers) {
        return send(node, "GET", target, new byte[0], headers);
    }

    HttpResponse<byte[]> put(int node, String target, byte[] body, String... headers) {
        return send(node, "PUT", target, body, headers);
    }

    HttpResponse<byte[]> put(int node, String target, String body) {
        return put(node, target, body.getBytes(StandardCharsets.UTF_8));
    }

    HttpResponse<byte[]> delete(int node, String target) {
        return send(node, "DELETE", target, new byte[0]);
    }

    HttpClient client() {
        return client;
    }

    @Override
    public void close() {
        for (int i = 0; i < topology.size(); i++) {
            stop(i);
        }
    }
}
