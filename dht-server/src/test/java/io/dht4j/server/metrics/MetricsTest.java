package io.dht4j.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.Key;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code GET /metrics} of real nodes answers, and that the documents and the dashboard agree with it. */
class MetricsTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern ROW =
            Pattern.compile("\\| `([a-z0-9_]+)` \\| (\\w+) \\| (\\w*) ?\\| ([`a-z, ]*) ?\\| .+ \\|");

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private static Path directory;

    private static List<ServerNode> nodes;
    private static Exposition shown;
    private static String text;

    @BeforeAll
    static void askANode() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        nodes = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            // On disk, so that the store has a size.
            nodes.add(TestNodes.start(
                    number,
                    ports,
                    Map.of(
                            Setting.STORE,
                            "mvstore",
                            Setting.DATA,
                            directory.resolve("n" + number).toString(),
                            Setting.REPAIR_INTERVAL,
                            "1")));
        }
        nodes.get(0)
                .cluster()
                .put(Key.of("key"), "value".getBytes(UTF_8))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        System.gc();
        await().atMost(PATIENCE).until(() -> {
            scrape();
            return shown.types.containsKey("jvm_gc_pause_seconds")
                    && shown.types.containsKey("dht_peer_requests_active")
                    && shown.types.containsKey("dht_peer_requests_limit")
                    && shown.types.containsKey("dht_peer_clock_offset_seconds")
                    && shown.types.containsKey("dht_peer_connections_opened_total")
                    && shown.value("dht_store_entries", Map.of()) == 1
                    // A commit is counted after its entries are acknowledged.
                    && shown.value("dht_store_commits_seconds_count", Map.of()) > 0;
        });
        // On a busy machine, the meters of a peer are registered during a scrape, which then has some of them.
        scrape();
    }

    private static void scrape() throws Exception {
        text = get(nodes.get(0), "/metrics").body();
        shown = Exposition.of(text);
    }

    @AfterAll
    static void close() {
        nodes.forEach(ServerNode::close);
    }

    private static HttpResponse<String> get(ServerNode node, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node.url() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void theAnswerIsTextForPrometheus() throws Exception {
        HttpResponse<String> answer = get(nodes.get(0), "/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(get(nodes.get(0), "/metrics?name=x").statusCode()).isEqualTo(400);
    }

    @Test
    void theFiguresAreThoseOfTheNode() {
        assertThat(shown.value("dht_nodes", Map.of())).isEqualTo(2);
        assertThat(shown.value("dht_nodes_suspected", Map.of())).isZero();
        assertThat(shown.value("dht_calls_seconds_count", Map.of("kind", "put", "outcome", "SUCCESS")))
                .isEqualTo(1);
        assertThat(shown.value("dht_calls_seconds_bucket", Map.of("kind", "put", "outcome", "SUCCESS", "le", "+Inf")))
                .isEqualTo(1);
        assertThat(shown.value(
                        "dht_peer_calls_seconds_count", Map.of("peer", "n2", "kind", "write", "outcome", "SUCCESS")))
                .isEqualTo(1);
        assertThat(shown.value("dht_store_free_bytes", Map.of())).isPositive();
        assertThat(shown.value("dht_store_commits_seconds_count", Map.of())).isPositive();
        assertThat(shown.value("dht_store_commits_written_bytes_total", Map.of()))
                .isPositive();
        assertThat(shown.value("dht_store_tables_used_bytes", Map.of()) + shown.value("dht_store_map_bytes", Map.of()))
                .isPositive();
        assertThat(shown.value("dht_store_page_cache_limit_bytes", Map.of())).isPositive();
        assertThat(shown.value("dht_peer_connections_open", Map.of("peer", "n2")))
                .isPositive();
        assertThat(shown.value("dht_peer_connections_opened_total", Map.of("peer", "n2")))
                .isPositive();
        assertThat(shown.value("dht_peer_clock_offset_seconds", Map.of("peer", "n2")))
                .isBetween(-10.0, 10.0);
    }

    @Test
    void theTablesOfTheReferenceAndTheAnswerAgree() throws Exception {
        Map<String, String> documented = new HashMap<>();
        Map<String, Set<String>> tags = new HashMap<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/reference/metrics.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                documented.put(row.group(1), row.group(2));
                Set<String> names = new TreeSet<>(
                        List.of(row.group(4).replace("`", "").trim().split(", ")));
                names.remove("");
                tags.put(row.group(1), names);
                String unit = row.group(3);
                assertThat(row.group(1)).as("the unit of %s", line).matches(".*" + unit + "(_total|_max)?");
            }
        }
        assertThat(shown.types).containsExactlyInAnyOrderEntriesOf(documented);
        documented
                .keySet()
                .forEach(name -> assertThat(shown.labelsOf(name)).as(name).isEqualTo(tags.get(name)));
    }

    @Test
    void eachMetricOfTheDashboardExists() throws IOException {
        JsonNode dashboard = new ObjectMapper()
                .readTree(ROOT.resolve("monitoring/grafana-dashboard.json").toFile());
        Set<String> names = new TreeSet<>();
        for (JsonNode expression : dashboard.findValues("expr")) {
            Matcher name =
                    Pattern.compile("\\b(dht|jvm|process|system)_[a-z0-9_]+").matcher(expression.asText());
            while (name.find()) {
                names.add(name.group());
            }
        }
        assertThat(names).hasSizeGreaterThan(30);
        assertThat(shown.samples.stream().map(Exposition.Sample::name)).containsAll(names);
    }

    @Test
    void anyTokenAllowsMetricsAndNoneDoesNot() throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "write token-of-a-writer\n");
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of(Setting.TOKENS, tokens.toString()))) {
            assertThat(get(node, "/metrics").statusCode()).isEqualTo(401);
            assertThat(get(node, "/metrics", "Authorization", "Bearer token-of-a-stranger")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(get(node, "/metrics", "Authorization", "Bearer token-of-a-writer")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void manyRequestsAtATimeAreAllAnswered() {
        // On a busy machine, a first scrape may not have the figures of the node in time.
        await().atMost(PATIENCE)
                .until(() -> get(nodes.get(1), "/metrics").body().contains("dht_nodes 2.0\n"));
        List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, 50)
                .mapToObj(i -> HTTP.sendAsync(
                        HttpRequest.newBuilder(URI.create(nodes.get(1).url() + "/metrics"))
                                .build(),
                        BodyHandlers.ofString()))
                .toList();
        assertThat(answers).allSatisfy(answer -> {
            HttpResponse<String> got = answer.get(30, TimeUnit.SECONDS);
            assertThat(got.statusCode()).isEqualTo(200);
            assertThat(got.body()).contains("dht_nodes 2.0\n");
        });
    }

    @Test
    void promtoolFindsNoFault() throws Exception {
        assumeTrue(
                Pattern.compile(Pattern.quote(java.io.File.pathSeparator))
                        .splitAsStream(System.getenv("PATH"))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "promtool"))),
                "promtool is not installed");
        // promtool dislikes two names that Micrometer gives.
        String ours = text.lines()
                .filter(line -> !line.matches("(# \\w+ )?(process_cpu_time_ns_total|system_cpu_count) .*"))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
        Path file = Files.writeString(directory.resolve("metrics"), ours);
        Process check = new ProcessBuilder("promtool", "check", "metrics")
                .redirectInput(file.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(check.getInputStream().readAllBytes(), UTF_8);
        assertThat(check.waitFor()).as(said).isZero();
    }
}
