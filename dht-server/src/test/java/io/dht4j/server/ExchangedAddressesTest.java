package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two of three servers exchange their addresses while the third or a client runs, whose name service is late. Each
 * process has a hosts file of its own.
 */
@Tag("full")
class ExchangedAddressesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Two longest pauses between connections, and one period of Vert.x's hosts file, and as much for the machine. */
    private static final Duration BOUND = Duration.ofSeconds(60);

    /** The number of the client's hosts file. */
    private static final int CLIENT = 4;

    @TempDir
    private Path directory;

    private final Map<Integer, ServerProcess> servers = new HashMap<>();
    private final List<Integer> ports = FreePorts.find(3);

    @AfterEach
    void stopServers() {
        servers.values().forEach(ServerProcess::close);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--transport=tcp",
                "--transport=grpc",
                "--transport=http",
                "--transport=http --http-client=webclient",
                "--transport=http --http-client=jdk-h2"
            })
    void aNodeFindsTwoOthersThatHaveExchangedTheirAddresses(String transport) throws Exception {
        exchange(transport, "--peers", false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--transport=tcp", "--transport=http", "--transport=http --http-client=webclient"})
    void soItDoesWithTls(String transport) throws Exception {
        exchange(transport, "--peers", true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--transport=tcp", "--transport=http"})
    void soItDoesInAnAgreedCluster(String transport) throws Exception {
        exchange(transport, "--bootstrap", false);
    }

    @ParameterizedTest
    @CsvSource({"member-tcp, tcp", "member-grpc, grpc", "member-http, http"})
    void aMemberWithoutAStoreFindsThemToo(String kind, String transport) throws Exception {
        startThree("--transport=" + transport, "--peers", Optional.empty());
        Map<String, String> nodes = addresses(transport.equals("http") ? 0 : 1, "n1", "n2", "n3");
        try (NamedClient client = NamedClient.start(kind, hosts(CLIENT), Optional.empty(), nodes)) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(client.put("before")).isEmpty());

            exchangeUnderClient("--transport=" + transport, Optional.empty());
            assertThat(client.put("meanwhile")).isPresent();

            resolve(CLIENT, 12, 11);
            await().atMost(BOUND)
                    .untilAsserted(() -> assertThat(client.put("after")).isEmpty());
        }
    }

    /** The client knows the two nodes only, so that no third one can help. */
    @ParameterizedTest
    @CsvSource({"remote-http, false", "remote-grpc, false", "remote-http, true", "remote-grpc, true"})
    void aRemoteClientFindsThemToo(String kind, boolean secure) throws Exception {
        Optional<TestCertificates> authority = secure ? Optional.of(TestCertificates.in(directory)) : Optional.empty();
        startThree("--transport=tcp", "--peers", authority);
        Map<String, String> nodes = addresses(kind.equals("remote-http") ? 0 : 2, "n1", "n2");
        try (NamedClient client =
                NamedClient.start(kind, hosts(CLIENT), authority.map(TestCertificates::authority), nodes)) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(client.put("before")).isEmpty());

            exchangeUnderClient("--transport=tcp", authority);
            if (secure || kind.equals("remote-http")) {
                // No certificate has the name, or the node refuses requests for the name of another one.
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(client.put("meanwhile"))
                                .get()
                                .asString()
                                .contains("UnavailableException"));
            } else {
                // Any node may coordinate a call.
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(client.put("meanwhile")).isEmpty());
            }

            resolve(CLIENT, 12, 11);
            await().atMost(BOUND)
                    .untilAsserted(() -> assertThat(client.put("after")).isEmpty());
        }
    }

    /** The nodes' name services know of the exchange, that of the client does not. */
    private void exchangeUnderClient(String transport, Optional<TestCertificates> authority) throws Exception {
        servers.remove(1).close();
        servers.remove(2).close();
        for (int node = 1; node <= 3; node++) {
            resolve(node, 12, 11);
        }
        start(1, 12, transport, "--peers", authority.map(issuer -> tls(issuer, 1)));
        start(2, 11, transport, "--peers", authority.map(issuer -> tls(issuer, 2)));
        awaitReady(1, 2);
        String trusted = authority.map(issuer -> issuer.authority().toString()).orElse("");
        await().atMost(BOUND).untilAsserted(() -> putAtThird(trusted, "the nodes have found each other"));
    }

    private Map<String, String> addresses(int port, String... nodes) {
        Map<String, String> addresses = new TreeMap<>();
        for (String node : nodes) {
            addresses.put(node, node.replace("n", "pod") + ":" + ports.get(port));
        }
        return addresses;
    }

    private void startThree(String transport, String list, Optional<TestCertificates> authority) throws Exception {
        for (int node = 1; node <= CLIENT; node++) {
            resolve(node, 11, 12);
        }
        for (int node = 1; node <= 3; node++) {
            int number = node;
            start(node, 10 + node, transport, list, authority.map(issuer -> tls(issuer, number)));
        }
        awaitReady(1, 2, 3);
    }

    private void exchange(String transport, String list, boolean secure) throws Exception {
        Optional<TestCertificates> authority = secure ? Optional.of(TestCertificates.in(directory)) : Optional.empty();
        startThree(transport, list, authority);
        String trusted = authority.map(issuer -> issuer.authority().toString()).orElse("");
        await().atMost(PATIENCE).untilAsserted(() -> putAtThird(trusted, "before"));

        servers.remove(1).close();
        servers.remove(2).close();
        resolve(1, 12, 11);
        resolve(2, 12, 11);
        start(1, 12, transport, list, authority.map(issuer -> tls(issuer, 1)));
        start(2, 11, transport, list, authority.map(issuer -> tls(issuer, 2)));
        awaitReady(1, 2);
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(put(trusted, "meanwhile").exitCode()).isEqualTo(1);
            // A failed handshake of WEBCLIENT does not reach the transport.
            if (!secure || !transport.contains("webclient")) {
                assertThat(servers.get(3).err())
                        .containsPattern(secure ? "n1 cannot be called: .*\\bn2\\b" : "the node at pod1:.* is n2");
            }
        });

        resolve(3, 12, 11);
        await().atMost(BOUND).untilAsserted(() -> putAtThird(trusted, "after"));
    }

    /** Returns the files of a node, which clients call by its name or the third address. */
    private static TlsFiles tls(TestCertificates authority, int node) {
        return authority.issue("n" + node, "pod" + node, "127.0.0.13").mutual();
    }

    private void putAtThird(String trusted, String key) {
        CommandLineRun run = put(trusted, key);
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** Writes to all replicas by the third node. */
    private CommandLineRun put(String trusted, String key) {
        List<String> args = new ArrayList<>(List.of(
                "put",
                key,
                "value",
                "--ack",
                "3",
                "--node",
                (trusted.isEmpty() ? "http" : "https") + "://127.0.0.13:" + ports.get(0)));
        if (!trusted.isEmpty()) {
            args.addAll(List.of("--tls-ca", trusted));
        }
        return CommandLineRun.of(args.toArray(String[]::new));
    }

    private Path hosts(int node) {
        return directory.resolve("hosts-" + node);
    }

    /** Changes to which addresses a node resolves the names of the first two. */
    private void resolve(int node, int first, int second) throws IOException {
        Path next = Files.writeString(
                directory.resolve("hosts-next"),
                "127.0.0.1 localhost\n127.0.0." + first + " pod1\n127.0.0." + second + " pod2\n127.0.0.13 pod3\n");
        Files.move(next, hosts(node), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void start(int node, int host, String transport, String list, Optional<TlsFiles> tls) throws IOException {
        int peerPort = ports.get(transport.contains("http") ? 0 : 1);
        List<String> options = new ArrayList<>(List.of(
                "--id",
                "n" + node,
                "--listen",
                "127.0.0." + host + ":" + ports.get(0),
                "--grpc-listen",
                "127.0.0." + host + ":" + ports.get(2),
                "--public-host",
                "pod" + node,
                list,
                "n1=pod1:" + peerPort + ",n2=pod2:" + peerPort + ",n3=pod3:" + peerPort,
                "--partitions",
                "16",
                "--data",
                directory.resolve("data-" + node).toString()));
        options.addAll(List.of(transport.split("[ =]")));
        tls.ifPresent(files -> {
            options.addAll(
                    List.of("--tls-cert", files.certificate().orElseThrow().toString()));
            options.addAll(List.of("--tls-key", files.key().orElseThrow().toString()));
            options.addAll(List.of("--tls-ca", files.authorities().orElseThrow().toString()));
        });
        servers.put(
                node,
                ServerProcess.startWith(
                        Map.of("JAVA_TOOL_OPTIONS", "-Dsun.net.inetaddr.ttl=1 -Djdk.net.hosts.file=" + hosts(node)),
                        directory,
                        options.toArray(String[]::new)));
    }

    private void awaitReady(int... nodes) throws Exception {
        for (int node : nodes) {
            servers.get(node).awaitReady();
        }
    }
}
