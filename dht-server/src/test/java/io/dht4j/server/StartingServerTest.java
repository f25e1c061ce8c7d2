package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server answers while its first start waits for other nodes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StartingServerTest {

    private static final long PAUSE_MILLIS = 20;

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private volatile boolean stopped;

    private CompletableFuture<ServerNode> start(Map<Setting, String> settings) {
        StartWatch watch = new StartWatch() {
            @Override
            public boolean isStopAsked() {
                return stopped;
            }
        };
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return ServerNode.start(ServerConfig.of(settings), watch);
                    } catch (ServerStartException | ConfigException e) {
                        throw new CompletionException(e);
                    }
                },
                task -> new Thread(task, "start").start());
    }

    private HttpResponse<String> get(int port, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        while (true) {
            try {
                return client.send(request, HttpResponse.BodyHandlers.ofString());
            } catch (IOException e) {
                // Nobody listens yet.
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Over HTTP the API shares the port of the peers. */
    @ParameterizedTest
    @ValueSource(strings = {"http", "tcp"})
    void probesAreAnsweredWhileTheFirstStartWaits(String transport) throws Exception {
        List<Integer> ports = FreePorts.find(4);
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.ID, "n1");
        settings.put(Setting.LISTEN, "127.0.0.1:" + ports.get(3));
        settings.put(Setting.DATA, directory.resolve("data").toString());
        settings.put(Setting.TRANSPORT, transport);
        int own = transport.equals("http") ? ports.get(3) : ports.get(0);
        settings.put(
                Setting.BOOTSTRAP,
                "n1=127.0.0.1:" + own + ",n2=127.0.0.1:" + ports.get(1) + ",n3=127.0.0.1:" + ports.get(2));
        CompletableFuture<ServerNode> start = start(settings);

        HttpResponse<String> alive = get(ports.get(3), "/livez");
        assertThat(alive.statusCode()).isEqualTo(200);
        assertThat(alive.body()).isEqualTo("alive\n");
        HttpResponse<String> ready = get(ports.get(3), "/readyz");
        while (!ready.body().contains("waits for")) {
            assertThat(ready.statusCode()).isEqualTo(503);
            ready = get(ports.get(3), "/readyz");
        }
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body())
                .startsWith("not ready: node n1 forms a cluster")
                .contains("n2");
        for (String path : List.of(
                "/v0/entity?id=key",
                "/v0/entities?start=a&snapshot=5",
                "/v0/status",
                "/v0/repair",
                "/v0/partitions",
                "/v0/replicas?id=key",
                "/v0/slow-calls",
                "/v0/hot-keys?duration=100")) {
            HttpResponse<String> refused = get(ports.get(3), path);
            assertThat(refused.statusCode()).as(path).isEqualTo(503);
            assertThat(refused.body()).contains("this node does not serve yet: node n1 forms a cluster");
        }
        assertThat(get(ports.get(3), "/metrics").statusCode()).isEqualTo(200);

        stopped = true;
        assertThatThrownBy(start::join).hasMessageContaining("stopped at its start");
    }
}
