package io.dht4j.packaging.supervised;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A Prometheus that runs on this machine, and its tool. */
final class Prometheus implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final Path log;
    private final URI url;

    private Prometheus(Process process, Path log, URI url) {
        this.process = process;
        this.log = log;
        this.url = url;
    }

    /** Whether both programs are installed. */
    static boolean isInstalled() {
        return List.of("prometheus", "promtool").stream()
                .allMatch(program -> Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, program))));
    }

    /** Starts it. */
    static Prometheus start(Path configuration, Path data, int port) throws IOException {
        Path log = data.resolveSibling("prometheus.log");
        Process process = new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + data,
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new Prometheus(process, log, URI.create("http://127.0.0.1:" + port));
    }

    /** Returns the values of an expression; none before it serves. */
    List<Double> query(String expression) throws IOException, InterruptedException {
        if (!process.isAlive()) {
            throw new IOException("Prometheus has ended: " + Files.readString(log));
        }
        List<Double> values = new ArrayList<>();
        for (JsonNode sample : get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .path("data")
                .path("result")) {
            values.add(Double.valueOf(sample.path("value").path(1).asText()));
        }
        return values;
    }

    /** Returns the names of the alerts that are pending or firing; none before it serves. */
    List<String> alerts() throws IOException, InterruptedException {
        return get("/api/v1/alerts").path("data").path("alerts").findValuesAsText("alertname");
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(url.resolve(path))
                .timeout(Duration.ofSeconds(10))
                .build();
        HttpResponse<String> response;
        try {
            response = http.send(request, BodyHandlers.ofString());
        } catch (ConnectException e) {
            return JSON.createObjectNode();
        }
        return response.statusCode() == 503 ? JSON.createObjectNode() : JSON.readTree(response.body());
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
