package io.dht4j.testkit.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The fixture of the contract of the public HTTP API: three nodes from a subclass, and independent HTTP clients. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class HttpApiHarness {

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(10))
            .version(version())
            .build();

    private Nodes nodes;

    /** Constructor for the contract. */
    @SuppressWarnings("NullAway.Init") // set before all tests
    HttpApiHarness() {}

    /** Three nodes. */
    public interface Nodes extends AutoCloseable {

        /**
         * Returns the base URI of a node's API.
         *
         * @param node 0 to 2
         * @return for example {@code http://127.0.0.1:8080}
         */
        URI base(int node);

        /**
         * Stops a node and its API. Blocks until it no longer listens.
         *
         * @param node 0 to 2
         */
        void stop(int node);

        /**
         * Restarts a node and its API, possibly without its entries. Blocks until it serves.
         *
         * @param node 0 to 2, stopped
         */
        void start(int node);

        /** Stops all nodes. */
        @Override
        void close();
    }

    /**
     * Starts nodes named n1, n2 and n3 with three replicas and empty stores. Calls time out after an hour, and the APIs
     * have the default options. Most tests share one such cluster, some have their own.
     *
     * @return nodes that serve, which the contract closes
     * @throws Exception if they cannot be started
     */
    protected abstract Nodes startNodes() throws Exception;

    /**
     * Returns the HTTP version of the usual client.
     *
     * @return by default 1.1
     */
    protected HttpClient.Version version() {
        return HttpClient.Version.HTTP_1_1;
    }

    @BeforeAll
    final void startSharedNodes() throws Exception {
        nodes = startNodes();
        prepare();
    }

    @AfterAll
    final void stopSharedNodes() {
        nodes.close();
    }

    /** Writes the entries that tests expect. */
    void prepare() {}

    final HttpResponse<byte[]> send(Nodes at, int node, String method, String target, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(at.base(node) + target))
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

    final HttpResponse<byte[]> send(int node, String method, String target, byte[] body, String... headers) {
        return send(nodes, node, method, target, body, headers);
    }

    final HttpResponse<byte[]> get(int node, String target, String... headers) {
        return send(node, "GET", target, new byte[0], headers);
    }

    final HttpResponse<byte[]> get(Nodes at, int node, String target) {
        return send(at, node, "GET", target, new byte[0]);
    }

    final HttpResponse<byte[]> put(int node, String target, byte[] body) {
        return send(node, "PUT", target, body);
    }

    final HttpResponse<byte[]> put(int node, String target, String body) {
        return put(node, target, body.getBytes(UTF_8));
    }

    final HttpResponse<byte[]> put(Nodes at, int node, String target, String body) {
        return send(at, node, "PUT", target, body.getBytes(UTF_8));
    }

    final HttpResponse<byte[]> post(int node, String target, String body) {
        return send(node, "POST", target, body.getBytes(UTF_8), "Content-Type", "application/x-ndjson");
    }

    final HttpResponse<byte[]> delete(int node, String target) {
        return send(node, "DELETE", target, new byte[0]);
    }

    /** Returns the base URI of a node's API. */
    final URI base(int node) {
        return nodes.base(node);
    }

    /** Opens a raw connection to a node. */
    final RawHttp raw(int node) throws IOException {
        return new RawHttp(nodes.base(node).getPort());
    }

    static String encode(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    static String base64Url(byte... bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    static String base64(String text) {
        return base64(text.getBytes(UTF_8));
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    static byte[] unbase64(Map<String, Object> object, String field) {
        return Base64.getDecoder().decode(Json.text(object, field));
    }

    static String versionOf(HttpResponse<byte[]> answer) {
        return answer.headers().firstValue("Dht-Version").orElseThrow();
    }

    static Map<String, Object> json(HttpResponse<byte[]> answer) {
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        return Json.object(answer.body());
    }

    static List<Map<String, Object>> lines(HttpResponse<byte[]> answer) {
        String text = new String(answer.body(), UTF_8);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/x-ndjson");
        assertThat(text.isEmpty() || text.endsWith("\n")).isTrue();
        return text.lines().map(line -> Json.object(line.getBytes(UTF_8))).toList();
    }
}
