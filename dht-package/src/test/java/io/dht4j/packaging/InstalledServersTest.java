package io.dht4j.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Three servers out of the archive alone, set up by variables. */
@Tag("full")
@EnabledOnOs({OS.LINUX, OS.MAC})
class InstalledServersTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    void installedServersServeAndStopWithStatusZero() throws Exception {
        Installation installation = Installation.unpack(directory);
        List<Integer> ports = FreePorts.find(3);
        String peers =
                "n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1) + ",n3=127.0.0.1:" + ports.get(2);
        List<Installation.Started> servers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                servers.add(installation.server(Map.of(
                        "DHT_ID",
                        "n" + (i + 1),
                        "DHT_LISTEN",
                        "127.0.0.1:" + ports.get(i),
                        "DHT_PEERS",
                        peers,
                        "DHT_DATA",
                        directory.resolve("data" + i).toString(),
                        "DHT_JAVA_OPTS",
                        "-Xmx256m")));
            }
            for (Installation.Started server : servers) {
                await().atMost(PATIENCE).until(() -> server.out().startsWith("ready "));
            }

            Installation.Run put = installation.dht(node(ports.get(0)), "put", "schl\u00fcssel", "wert");
            Installation.Run get = installation.dht(node(ports.get(2)), "get", "schl\u00fcssel");

            assertThat(put.exitCode()).as(put.err()).isZero();
            assertThat(get.out()).isEqualTo("wert");
            assertThat(get.err()).isEmpty();
            for (Installation.Started server : servers) {
                assertThat(server.stop()).as(server.err()).isZero();
            }
        } finally {
            servers.forEach(Installation.Started::close);
        }
    }

    private static Map<String, String> node(int port) {
        return Map.of("DHT_NODE", "http://127.0.0.1:" + port);
    }
}
