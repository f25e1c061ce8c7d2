package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.ClockProblem;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeDiagnostics;
import io.dht4j.NodeId;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.StoreProblem;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the probes say when not all is well, and by which names a node is reached. */
@Timeout(60)
class ProbesEndpointTest {

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults());
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private static RawHttp.Answer ask(int port, String target, String... headers) throws IOException {
        try (RawHttp raw = new RawHttp(port)) {
            String host = headers.length == 0 ? "Host: localhost\r\n" : "";
            raw.send("GET " + target + " HTTP/1.1\r\n" + host + String.join("", headers) + "\r\n");
            return raw.read();
        }
    }

    /** A cluster whose status says something else. */
    private static Cluster saying(UnaryOperator<CompletableFuture<NodeStatus>> said) {
        Cluster cluster = nodes.cluster(0);
        NodeOperations real = cluster.operations();
        NodeOperations operations = new NodeOperations() {
            @Override
            public CompletionStage<NodeStatus> status() {
                return said.apply(real.status().toCompletableFuture());
            }

            @Override
            public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
                return real.repair(partitions);
            }

            @Override
            public CompletionStage<RepairStatus> repairStatus() {
                return real.repairStatus();
            }

            @Override
            public Optional<NodeDiagnostics> diagnostics() {
                return real.diagnostics();
            }
        };
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("operations") ? operations : method.invoke(cluster, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static NodeStatus with(
            NodeStatus status,
            Duration entriesAge,
            List<StoreProblem> problems,
            RefillStatus refill,
            Optional<ClockProblem> clock) {
        return with(
                status,
                entriesAge,
                problems,
                refill,
                clock,
                status.topology(),
                status.suspected(),
                status.disagreeing());
    }

    private static NodeStatus with(
            NodeStatus status,
            Duration entriesAge,
            List<StoreProblem> problems,
            RefillStatus refill,
            Optional<ClockProblem> clock,
            Topology topology,
            List<NodeId> suspected,
            List<NodeId> disagreeing) {
        return new NodeStatus(
                status.id(),
                topology,
                status.replicationFactor(),
                status.partitions(),
                status.placement(),
                status.hash(),
                status.transport(),
                status.store(),
                status.version(),
                status.entries(),
                entriesAge,
                status.hintBytes(),
                status.hintBytesDropped(),
                status.overload(),
                problems,
                refill,
                suspected,
                disagreeing,
                clock,
                status.uptime(),
                Map.of());
    }

    private static void assertReadiness(UnaryOperator<CompletableFuture<NodeStatus>> said, int status, String... parts)
            throws IOException {
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, saying(said), HttpApiOptions.defaults())) {
            RawHttp.Answer answer = ask(api.port(), "/readyz");
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.text()).contains(parts).hasLineCount(1).doesNotContain("/secret/path");
            assertThat(ask(api.port(), "/livez").status()).isEqualTo(200);
        }
    }

    @Test
    void readinessNeedsAMajorityWithTheSameSettings() throws IOException {
        assertReadiness(refused(2, 0), 503, "2 of 2 other nodes have other settings");
        assertReadiness(refused(1, 1), 503, "1 of 2 other nodes have other settings", ", and 1 do not answer");
        assertReadiness(refused(1, 0), 200, "ready");
        assertReadiness(refused(0, 2), 200, "ready");
    }

    private static UnaryOperator<CompletableFuture<NodeStatus>> refused(int disagreeing, int suspected) {
        Topology three = Topology.of(Node.of("n1", "host:1"), Node.of("n2", "host:2"), Node.of("n3", "host:3"));
        List<NodeId> others = List.of(new NodeId("n2"), new NodeId("n3"));
        return status -> status.thenApply(now -> with(
                now,
                Duration.ZERO,
                List.of(),
                RefillStatus.NONE,
                Optional.empty(),
                three,
                others.subList(disagreeing, disagreeing + suspected),
                others.subList(0, disagreeing)));
    }

    /** A stage that records what depends on it. */
    private static final class Ready extends CompletableFuture<Void> {

        private final Queue<CompletableFuture<?>> made = new ConcurrentLinkedQueue<>();

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            CompletableFuture<U> next = new CompletableFuture<>();
            made.add(next);
            return next;
        }
    }

    private static Cluster starting(CompletableFuture<Void> ready) {
        return starting(nodes.cluster(0), ready);
    }

    private static Cluster starting(Cluster cluster, CompletableFuture<Void> ready) {
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) ->
                        method.getName().equals("ready") ? ready : method.invoke(cluster, arguments));
    }

    private static void assertTooFewNodes(HttpApi api) throws IOException {
        RawHttp.Answer early = ask(api.port(), "/readyz");
        assertThat(early.status()).isEqualTo(503);
        assertThat(early.text()).isEqualTo("not ready: too few nodes can be read yet\n");
    }

    @Test
    void aNodeIsReadyOnceTheClusterIs() throws IOException {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, starting(ready), HttpApiOptions.defaults())) {
            assertTooFewNodes(api);
            assertThat(ask(api.port(), "/v0/entity?id=absent").status()).isEqualTo(404);

            ready.complete(null);
            assertThat(ask(api.port(), "/readyz").status()).isEqualTo(200);
        }
    }

    /** As at a node that has just started on a busy machine. */
    @Test
    void theFirstProbeIsAnsweredWhenItsStatusComesLate() throws IOException {
        Executor late = CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS);
        Cluster slow = starting(saying(status -> status.thenApplyAsync(now -> now, late)), new CompletableFuture<>());
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, slow, HttpApiOptions.defaults())) {
            assertTooFewNodes(api);
        }
    }

    @Test
    void earlyProbesDoNotPileUp() throws IOException {
        Ready ready = new Ready();
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, starting(ready), HttpApiOptions.defaults())) {
            for (int i = 0; i < 3; i++) {
                assertTooFewNodes(api);
            }
        }
        assertThat(ready.made).hasSize(1);
        assertThat(ready.made.element().getNumberOfDependents()).isEqualTo(1);
    }

    @Test
    void readinessNamesWhatIsInTheWay() throws IOException {
        StoreProblem full = new StoreProblem(StoreProblem.Kind.WRITES_REFUSED, Instant.EPOCH, "/secret/path is full");
        StoreProblem damage = new StoreProblem(StoreProblem.Kind.DAMAGED_DATA, Instant.EPOCH, "/secret/path");
        ClockProblem clock = new ClockProblem(Duration.ofSeconds(120), List.of(new NodeId("n2")));
        RefillStatus refill = new RefillStatus(12, 3, List.of());
        assertReadiness(
                status -> status.thenApply(
                        now -> with(now, Duration.ZERO, List.of(damage, full), refill, Optional.of(clock))),
                503,
                "not ready: ",
                "the store takes no writes",
                "12 partitions",
                "the clock");
        assertReadiness(
                status -> status.thenApply(
                        now -> with(now, Duration.ZERO, List.of(damage), RefillStatus.NONE, Optional.empty())),
                200,
                "ready");
        assertReadiness(
                status -> CompletableFuture.failedFuture(new IllegalStateException("/secret/path")),
                503,
                "not ready: not serving");
    }

    @Test
    void aBusyNodeIsJudgedByItsLastStatus() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        Cluster busy = saying(status -> asked.incrementAndGet() == 1 ? status : new CompletableFuture<>());
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, busy, HttpApiOptions.defaults())) {
            await().atMost(Duration.ofSeconds(10)).until(() -> {
                assertThat(ask(api.port(), "/readyz").text()).isEqualTo("ready\n");
                return asked.get() > 1;
            });
        }
    }

    @Test
    void probesAskForNoToken(@TempDir Path directory) throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "admin admin-admin-admin-admin\n");
        try (HttpApi api = HttpApi.listening(
                "127.0.0.1", 0, nodes.cluster(0), HttpApiOptions.defaults().withTokens(tokens))) {
            assertThat(ask(api.port(), "/livez").status()).isEqualTo(200);
            assertThat(ask(api.port(), "/readyz").status()).isEqualTo(200);
            assertProblem(ask(api.port(), "/v0/status"), 401, ErrorCode.UNAUTHENTICATED);
            // A page of another site has no token.
            assertThat(ask(
                                    api.port(),
                                    "/v0/status",
                                    "Host: elsewhere.example\r\n",
                                    "Origin: http://elsewhere.example\r\n",
                                    "Authorization: Bearer admin-admin-admin-admin\r\n")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aNodeIsReachedByTheNameOfItsMachine() throws IOException {
        String name = InetAddress.getLocalHost().getHostName();
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), HttpApiOptions.defaults())) {
            // The system may take a moment to tell it.
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> ask(api.port(), "/v0/status", "Host: " + name + ":8080\r\n")
                                    .status()
                            == 200);
        }
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotReady() throws IOException {
        assertReadiness(
                status -> status.thenApply(
                        now -> with(now, Duration.ofSeconds(11), List.of(), RefillStatus.NONE, Optional.empty())),
                503,
                "not ready: the store does not answer");
        assertReadiness(
                status -> status.thenApply(
                        now -> with(now, Duration.ofSeconds(9), List.of(), RefillStatus.NONE, Optional.empty())),
                200,
                "ready");
    }

    @Test
    void aNodeThatMostOthersDisagreeWithIsNotReady() {
        AtomicInteger started = new AtomicInteger();
        UnaryOperator<ClusterBuilder> otherwiseFromTheThird =
                builder -> builder.partitions(started.incrementAndGet() < 3 ? 32 : 64);
        try (ApiNodes cluster = ApiNodes.of(3, otherwiseFromTheThird, HttpApiOptions.defaults())) {
            await().untilAsserted(() -> assertThat(answerOf(cluster, 2, "/readyz"))
                    .isEqualTo("503 not ready: 2 of 2 other nodes have other settings or addresses than this node has"
                            + " for them\n"));
            assertThat(answerOf(cluster, 2, "/v0/status")).contains("\"disagreeing\":[\"n1\",\"n2\"]");
            assertThat(answerOf(cluster, 0, "/readyz")).isEqualTo("200 ready\n");

            for (int other = 0; other < 2; other++) {
                cluster.stop(other);
                cluster.start(other);
            }

            await().untilAsserted(
                            () -> assertThat(answerOf(cluster, 2, "/readyz")).isEqualTo("200 ready\n"));
        }
    }

    @Test
    void aNodeWithoutQuorumIsReadyUnlessTheProbeAsksForOne() {
        String lost = "32 of 32 partitions have no quorum\n";
        try (ApiNodes cluster = ApiNodes.of(3, builder -> builder.partitions(32), HttpApiOptions.defaults())) {
            await().untilAsserted(() ->
                    assertThat(answerOf(cluster, 0, "/readyz?quorum")).isEqualTo("200 ready\n"));
            cluster.stop(1);
            cluster.stop(2);

            await().untilAsserted(() -> {
                // An idle node does not notice.
                cluster.get(0, "/v0/entity?id=key&timeout=200");
                assertThat(answerOf(cluster, 0, "/readyz")).isEqualTo("200 ready; " + lost);
            });
            assertThat(answerOf(cluster, 0, "/readyz?quorum")).isEqualTo("503 not ready: " + lost);
            assertThat(answerOf(cluster, 0, "/readyz?quorum=")).isEqualTo("503 not ready: " + lost);

            cluster.start(1);

            await().untilAsserted(() ->
                    assertThat(answerOf(cluster, 0, "/readyz?quorum")).isEqualTo("200 ready\n"));
        }
    }

    @Test
    void aProbeWithAnUnknownParameterIsRefused() throws IOException {
        assertThat(assertProblem(ask(nodes.port(0), "/readyz?quorom"), 400, ErrorCode.BAD_REQUEST))
                .contains("unknown parameter", "quorom", "this resource and method take: quorum");
        assertThat(assertProblem(ask(nodes.port(0), "/readyz?quorum=off"), 400, ErrorCode.BAD_REQUEST))
                .contains("quorum takes no value");
    }

    private static String answerOf(ApiNodes cluster, int node, String target) {
        HttpResponse<byte[]> answer = cluster.get(node, target);
        return answer.statusCode() + " " + new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aNodeIsReachedByTheNamesThatItWasGiven() throws IOException {
        HttpApiOptions options =
                HttpApiOptions.defaults().withPublicHost("KV.example").withPublicHost("2001:db8::7");
        try (HttpApi api = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), options)) {
            // No page can make an address lead here; that of a proxy does not matter.
            for (String host : new String[] {
                "kv.example", "Kv.Example.:443", "[2001:db8::7]:80", "127.0.0.1", "192.0.2.17:30081", "[fe80::1]"
            }) {
                assertThat(ask(api.port(), "/v0/status", "Host: " + host + "\r\n")
                                .status())
                        .isEqualTo(200);
            }
            assertThat(ask(
                                    api.port(),
                                    "/v0/status",
                                    "Host: [2001:db8::7]:80\r\n",
                                    "Origin: http://[2001:DB8:0:0::7]\r\n")
                            .status())
                    .isEqualTo(200);
            for (String host : new String[] {"example", "a.kv.example", "kv.example.evil", "127.0.0.1.evil"}) {
                assertThat(assertProblem(
                                ask(api.port(), "/v0/status", "Host: " + host + "\r\n"), 421, ErrorCode.BAD_REQUEST))
                        .contains("start the node with " + host + " as a public host");
            }
            assertProblem(ask(api.port(), "/v0/status", "Host: a b\r\n"), 400, ErrorCode.BAD_REQUEST);
        }
    }
}
