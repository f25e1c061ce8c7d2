package io.dht4j.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.packaging.load.ClientLoad;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes of the last release beside nodes of this build, on the same directories. {@code .ci/compare-release} makes the
 * archive of the last release.
 */
@EnabledIfSystemProperty(
        named = UpgradeTest.RELEASE,
        matches = ".+",
        disabledReason = "without an archive of the last release; .ci/compare-release makes one")
class UpgradeTest {

    static final String RELEASE = "dht.package.release";

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int NODES = 3;

    @TempDir
    private Path directory;

    private final List<Integer> ports = FreePorts.find(NODES);
    private final List<Installation.Started> nodes = new ArrayList<>();
    /** The node that gets no calls. */
    private volatile int away = NODES;

    @AfterEach
    void end() {
        nodes.forEach(Installation.Started::close);
    }

    private Installation released() throws Exception {
        Path own = Files.createDirectory(directory.resolve("released"));
        return Installation.unpack(Path.of(System.getProperty(RELEASE)), own);
    }

    private Installation built() throws Exception {
        return Installation.unpack(Files.createDirectory(directory.resolve("built")));
    }

    @Test
    void theReleaseIsAnotherVersion() throws Exception {
        assertThat(released().dht(Map.of(), "--version").out())
                .isNotEqualTo(built().dht(Map.of(), "--version").out());
    }

    /** The nodes are fixed, or form an agreed cluster. */
    @ParameterizedTest
    @ValueSource(strings = {"DHT_PEERS", "DHT_BOOTSTRAP"})
    void aRollingUpgradeLosesNoCallAndNoKey(String formation) throws Exception {
        Installation released = released();
        Installation built = built();
        for (int i = 0; i < NODES; i++) {
            nodes.add(released.server(variables(formation, i)));
        }
        for (int i = 0; i < NODES; i++) {
            awaitReady(i);
        }
        try (ClientLoad load = ClientLoad.start(ClientLoad.Access.plaintext(ports), node -> node != away)) {
            load.awaitCalls();
            for (int i = 0; i < NODES; i++) {
                replace(i, built, formation, load);
            }
            // Back, as after an upgrade that has to be undone.
            replace(0, released, formation, load);

            load.endAndReadAgain();
        }
    }

    private Map<String, String> variables(String formation, int node) {
        String all = IntStream.range(0, NODES)
                .mapToObj(i -> "n" + (i + 1) + "=127.0.0.1:" + ports.get(i))
                .collect(Collectors.joining(","));
        return Map.of(
                "DHT_ID",
                "n" + (node + 1),
                "DHT_LISTEN",
                "127.0.0.1:" + ports.get(node),
                formation,
                all,
                "DHT_DATA",
                directory.resolve("data" + node).toString(),
                "DHT_STARTUP_CACHE",
                "off",
                "DHT_JAVA_OPTS",
                "-Xmx256m");
    }

    private void awaitReady(int node) {
        Installation.Started started = nodes.get(node);
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(started.process().isAlive()).as(started.err()).isTrue();
            assertThat(started.out()).as(started.err()).startsWith("ready ");
        });
    }

    private void replace(int node, Installation by, String formation, ClientLoad load) throws Exception {
        away = node;
        load.awaitCalls();
        Installation.Started before = nodes.get(node);
        assertThat(before.stop()).as(before.err()).isZero();
        nodes.set(node, by.server(variables(formation, node)));
        awaitReady(node);
        away = NODES;
        load.awaitCalls();
    }
}
