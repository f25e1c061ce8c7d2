package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections that want nothing, more of them than the process may have files open. */
@Tag("full")
@Timeout(180)
class HostileConnectionsTest {

    private static final int OPEN_FILES = 400;
    private static final String HELD_HEAD =
            "PUT /v0/entity?id=held HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf";

    @TempDir
    private Path directory;

    private final List<RawHttp> held = new ArrayList<>();

    @Test
    void silentConnectionsAndHeldHeadsLockNobodyOut() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        String peers = "n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1);
        String[] first =
                options("n1", ports.get(0), peers, "--public-host", "kv.example", "--public-host", "kv2.example");
        try (ServerProcess n1 = ServerProcess.startWithOpenFiles(OPEN_FILES, directory, first);
                ServerProcess n2 = ServerProcess.start(directory, options("n2", ports.get(1), peers))) {
            n1.awaitReady();
            n2.awaitReady();
            assertThat(n1.err()).contains("takes at most 100 connections, not 10000", "400 files", "ulimit -n");
            for (int i = 0; i < 2 * OPEN_FILES; i++) {
                held.add(new RawHttp(ports.get(0)));
                if (i % 2 == 0) {
                    held.get(i).send(HELD_HEAD);
                }
            }
            for (int i = 0; i < 20; i++) {
                // To the node itself, and through the other one as its peer; each is kept in the log.
                assertStatus(201, ports.get(0), "PUT /v0/entity?id=a" + i + "&replicas=2/2", "localhost");
                assertStatus(201, ports.get(1), "PUT /v0/entity?id=b" + i + "&replicas=2/2", "localhost");
                assertStatus(200, ports.get(0), "GET /v0/entity?id=b" + i + "&replicas=2/2", "kv.example");
            }
            assertStatus(200, ports.get(0), "GET /readyz", "elsewhere.example");
            assertStatus(200, ports.get(0), "GET /v0/status", "kv2.example");
            assertStatus(421, ports.get(0), "GET /v0/status", "kv3.example");
        } finally {
            for (RawHttp each : held) {
                each.close();
            }
        }
    }

    private String[] options(String id, int port, String peers, String... more) {
        List<String> options = new ArrayList<>(List.of(
                "--id",
                id,
                "--listen",
                "127.0.0.1:" + port,
                "--peers",
                peers,
                "--data",
                directory.resolve(id).toString()));
        options.addAll(List.of(more));
        return options.toArray(String[]::new);
    }

    private static void assertStatus(int status, int port, String request, String host) throws IOException {
        try (RawHttp raw = new RawHttp(port)) {
            String body = request.startsWith("PUT") ? "value" : "";
            raw.send(request + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: " + body.length() + "\r\n\r\n"
                    + body);
            RawHttp.Answer answer = raw.read();
            assertThat(answer.status()).as(request + ": " + answer.text()).isEqualTo(status);
        }
    }
}
