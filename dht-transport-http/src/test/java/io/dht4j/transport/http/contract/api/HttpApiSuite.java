package io.dht4j.transport.http.contract.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.transport.http.fixture.Json;
import io.dht4j.transport.http.fixture.RawHttp;
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

/** The base of the suites of the public HTTP API: three nodes and an independent HTTP client. */
interface HttpApiSuite {

    /** Starts nodes of their own for a test that stops some of them. */
    HttpApiContract.Nodes startNodes() throws Exception;

    /** Returns the nodes that the tests share. */
    HttpApiContract.Nodes nodes();

    /** Returns the client of the tests. */
    HttpClient client();

    default HttpResponse<byte[]> send(
            HttpApiContract.Nodes at, int node, String method, String target, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(at.base(node) + target))
                .timeout(Duration.ofSeconds(60))
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client().send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + target, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    default HttpResponse<byte[]> send(int node, String method, String target, byte[] body, String... headers) {
        return send(nodes(), node, method, target, body, headers);
    }

    default HttpResponse<byte[]> get(int node, String target, String... headers) {
        return send(node, "GET", target, new byte[0], headers);
    }

    default HttpResponse<byte[]> get(HttpApiContract.Nodes at, int node, String target) {
        return send(at, node, "GET", target, new byte[0]);
    }

    default HttpResponse<byte[]> put(int node, String target, byte[] body) {
        return send(node, "PUT", target, body);
    }

    default HttpResponse<byte[]> put(int node, String target, String body) {
        return put(node, target, body.getBytes(UTF_8));
    }

    default HttpResponse<byte[]> put(HttpApiContract.Nodes at, int node, String target, String body) {
        return send(at, node, "PUT", target, body.getBytes(UTF_8));
    }

    default HttpResponse<byte[]> post(int node, String target, String body) {
        return send(node, "POST", target, body.getBytes(UTF_8), "Content-Type", "application/x-ndjson");
    }

    default HttpResponse<byte[]> delete(int node, String target) {
        return send(node, "DELETE", target, new byte[0]);
    }

    /** Returns the base URI of a node's API. */
    default URI base(int node) {
        return nodes().base(node);
    }

    /** Opens a raw connection to a node. */
    default RawHttp raw(int node) throws IOException {
        return new RawHttp(nodes().base(node).getPort());
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
