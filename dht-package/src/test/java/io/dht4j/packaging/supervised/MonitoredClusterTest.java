package io.dht4j.packaging.supervised;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dht4j.packaging.Installation;
import io.dht4j.packaging.load.ClientLoad;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers out of the archive alone, with TLS and tokens, supervised by their unit and watched by a real
 * Prometheus with the configuration and the rules of {@code monitoring}.
 */
@Tag("full")
@EnabledOnOs({OS.LINUX, OS.MAC})
class MonitoredClusterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int NODES = 3;
    private static final String READ = "a-token-that-reads-and-writes";
    private static final String ADMIN = "a-token-that-may-do-all";
    private static final Path MONITORING = Path.of("..", "monitoring");

    @TempDir
    private Path directory;

    private final List<Integer> ports = FreePorts.find(NODES + 1);
    private final List<Service> services = new ArrayList<>();
    private final ScheduledExecutorService supervisor = Executors.newScheduledThreadPool(1);
    /** The node that gets no calls. */
    private volatile int down = NODES;

    private TestCertificates authority;
    private ClientLoad.Access access;

    @BeforeEach
    void startServices() throws Exception {
        authority = TestCertificates.in(directory);
        Path tokens = Files.writeString(directory.resolve("tokens"), "read,write " + READ + "\nadmin " + ADMIN + "\n");
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        Installation installation = Installation.unpack(directory);
        for (int i = 0; i < NODES; i++) {
            Path state = Files.createDirectory(directory.resolve("state" + i));
            services.add(new Service(installation, Unit.of(installation, state), file(i, tokens), supervisor));
        }
        access = new ClientLoad.Access(
                HttpClient.newBuilder().sslContext(authority.nameless()).build(),
                IntStream.range(0, NODES)
                        .mapToObj(i -> URI.create("https://127.0.0.1:" + ports.get(i)))
                        .toList(),
                Map.of("Authorization", "Bearer " + READ));
        for (Service service : services) {
            await().atMost(PATIENCE).until(() -> isReady(service));
        }
    }

    @AfterEach
    void end() {
        services.forEach(Service::close);
        supervisor.shutdown();
    }

    private static boolean isReady(Service service) throws IOException {
        Installation.Started process = service.process();
        assertThat(process.process().isAlive()).as(process.err()).isTrue();
        return process.out().startsWith("ready ");
    }

    /** The variables of the file {@code server.env}. */
    private Map<String, String> file(int node, Path tokens) {
        String name = "n" + (node + 1);
        TestCertificates.Issued issued = authority.issue(name, "localhost", "127.0.0.1");
        Map<String, String> file = new HashMap<>();
        file.put("DHT_ID", name);
        file.put("DHT_LISTEN", "127.0.0.1:" + ports.get(node));
        file.put(
                "DHT_PEERS",
                IntStream.range(0, NODES)
                        .mapToObj(i -> "n" + (i + 1) + "=127.0.0.1:" + ports.get(i))
                        .collect(Collectors.joining(",")));
        file.put("DHT_TLS_CERT", issued.certificate().toString());
        file.put("DHT_TLS_KEY", issued.key().toString());
        file.put("DHT_TLS_CA", issued.authority().toString());
        file.put("DHT_TOKENS", tokens.toString());
        file.put("DHT_JAVA_OPTS", "-Xmx256m");
        return file;
    }

    @Test
    void aKilledNodeIsSeenDownAndStartedAgainAndNoValueIsLost() throws Exception {
        assumeTrue(Prometheus.isInstalled(), "Prometheus is not installed");
        check("promtool", "check", "config", configuration().toString());
        try (ClientLoad load = ClientLoad.start(access, node -> node != down);
                Prometheus prometheus =
                        Prometheus.start(configuration(), directory.resolve("series"), ports.get(NODES))) {
            awaitValues(prometheus, "up{job=\"dht4j\"}", List.of(1.0, 1.0, 1.0));
            await().atMost(PATIENCE)
                    .until(() -> prometheus.query("sum(dht_calls_seconds_count)").stream()
                            .anyMatch(calls -> calls > 50));
            // Calls are slow on a busy machine, whatever the nodes do.
            assertThat(prometheus.alerts()).isSubsetOf("CallsAreSlow");

            down = 1;
            load.awaitCalls();
            services.get(1).process().process().destroyForcibly();

            await().atMost(PATIENCE)
                    .until(() -> !prometheus
                            .query("ALERTS{alertname=\"NodeIsDown\",instance=\"127.0.0.1:" + ports.get(1) + "\"}")
                            .isEmpty());
            load.awaitCalls();
            await().atMost(PATIENCE).until(() -> services.get(1).starts() == 2 && isReady(services.get(1)));
            awaitValues(prometheus, "up{job=\"dht4j\"}", List.of(1.0, 1.0, 1.0));
            down = NODES;
            load.awaitCalls();
            load.endAndReadAgain();
        }
        assertThat(page("/console", Map.of())).contains("<title>dht4j console</title>");
        Path metrics = Files.writeString(
                directory.resolve("metrics"), page("/metrics", Map.of("Authorization", "Bearer " + READ)));
        // It also finds fault with names of Micrometer's metrics of the JVM.
        Installation.Run lint =
                Installation.run(directory, Map.of(), List.of("sh", "-c", "promtool check metrics < " + metrics));
        assertThat(lint.exitCode()).isIn(0, 3);
        assertThat((lint.out() + lint.err()).lines()).noneMatch(line -> line.startsWith("dht_"));
        for (Service service : services) {
            assertThat(service.stop()).as(service.process().err()).isZero();
        }
    }

    private String page(String path, Map<String, String> headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(access.nodes().get(0).resolve(path)).timeout(PATIENCE);
        headers.forEach(request::header);
        return access.http().send(request.build(), BodyHandlers.ofString()).body();
    }

    /** The configuration of {@code monitoring} with the addresses and files of this test, and short times. */
    private Path configuration() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), READ);
        Files.writeString(directory.resolve("alerts.yml"), Files.readString(MONITORING.resolve("alerts.yml")));
        String text = Files.readString(MONITORING.resolve("prometheus.yml"))
                .replace("scrape_interval: 15s", "scrape_interval: 1s\n  evaluation_interval: 1s")
                .replace("/etc/prometheus/dht4j-token", token.toString())
                .replace(
                        "/etc/prometheus/dht4j-authority.pem",
                        authority.authority().toString());
        for (int i = 0; i < NODES; i++) {
            text = text.replace("192.0.2." + (i + 1) + ":8080", "127.0.0.1:" + ports.get(i));
        }
        return Files.writeString(directory.resolve("prometheus.yml"), text);
    }

    private void check(String... command) throws Exception {
        Installation.Run run = Installation.run(directory, Map.of(), List.of(command));
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    }

    private static void awaitValues(Prometheus prometheus, String expression, List<Double> values) {
        await().atMost(PATIENCE).until(() -> prometheus.query(expression).equals(values));
    }
}
