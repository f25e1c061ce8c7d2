package io.dht4j.packaging.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.packaging.Installation;
import io.dht4j.packaging.load.ClientLoad;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rolling restart of the stateful set with processes in place of pods: environment, probes and times are those of the
 * manifests. A client's call goes to a node that is ready, as through the service, and has no retry.
 */
@Tag("full")
@EnabledOnOs({OS.LINUX, OS.MAC})
class RollingRestartTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String TOKEN = "token-of-the-clients";

    @TempDir
    private Path directory;

    @Test
    void noCallIsLost() throws Exception {
        Manifests manifests = Manifests.read();
        Installation installation = Installation.unpack(directory);
        int nodes = manifests.replicas();
        List<Integer> ports = FreePorts.find(2 * nodes);
        List<Integer> httpPorts = ports.subList(0, nodes);
        TestCertificates authority = TestCertificates.in(directory);
        Path secrets = secrets(authority);
        HttpClient http =
                HttpClient.newBuilder().sslContext(authority.nameless()).build();
        List<SimulatedPod> pods = new ArrayList<>();
        ScheduledExecutorService kubelet = Executors.newScheduledThreadPool(nodes);
        try {
            for (int i = 0; i < nodes; i++) {
                Path data = Files.createDirectory(directory.resolve("volume" + i));
                pods.add(SimulatedPod.start(
                        manifests,
                        i,
                        installation,
                        httpPorts,
                        ports.subList(nodes, 2 * nodes),
                        data,
                        secrets,
                        http,
                        kubelet));
            }
            await().atMost(PATIENCE).until(() -> pods.stream().allMatch(SimulatedPod::isEndpoint));
            ClientLoad.Access access = new ClientLoad.Access(
                    http,
                    httpPorts.stream()
                            .map(port -> URI.create("https://127.0.0.1:" + port))
                            .toList(),
                    Map.of("Authorization", "Bearer " + TOKEN));
            try (ClientLoad load = ClientLoad.start(access, n -> pods.get(n).isEndpoint())) {
                restartEach(manifests, pods, load);
                load.endAndReadAgain();
            }
        } finally {
            pods.forEach(SimulatedPod::close);
            kubelet.shutdown();
        }
    }

    /** Makes what the guide makes: one certificate with the names of all nodes, and a token. */
    private Path secrets(TestCertificates authority) throws Exception {
        TestCertificates.Issued issued = authority.issue("dht", "dht-0", "dht-1", "dht-2", "localhost", "127.0.0.1");
        Path tls = Files.createDirectories(directory.resolve("secrets/tls"));
        Files.copy(issued.certificate(), tls.resolve("tls.crt"));
        Files.copy(issued.key(), tls.resolve("tls.key"));
        Files.copy(issued.authority(), tls.resolve("ca.crt"));
        Path tokens = Files.createDirectories(directory.resolve("secrets/tokens"));
        Files.writeString(tokens.resolve("tokens"), "read,write " + TOKEN + "\n");
        return directory.resolve("secrets");
    }

    private static void restartEach(Manifests manifests, List<SimulatedPod> pods, ClientLoad load) throws Exception {
        for (int ordinal = pods.size() - 1; ordinal >= 0; ordinal--) {
            SimulatedPod pod = pods.get(ordinal);
            int before = load.calls();
            assertThat(pod.restart(grace(manifests))).as(pod.err()).isZero();
            await().atMost(PATIENCE).until(pod::isEndpoint);
            assertThat(load.calls()).isGreaterThan(before);
            // As minReadySeconds: calls go on with all nodes before the next one ends.
            load.awaitCalls();
        }
    }

    private static int grace(Manifests manifests) {
        return (Integer) manifests.podSpec().get("terminationGracePeriodSeconds");
    }
}
