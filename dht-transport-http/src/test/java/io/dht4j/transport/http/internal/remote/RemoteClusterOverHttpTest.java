package io.dht4j.transport.http.internal.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Value;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that stores nothing, with a cluster behind the public HTTP API. */
@Timeout(120)
class RemoteClusterOverHttpTest {

    private static final String TOKEN = "read-write-read-write-1";

    @TempDir
    private Path directory;

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void readsAndWritesGoOnWhileNodesDieAndComeBack() throws Exception {
        try (ApiNodes nodes = ApiNodes.three();
                Cluster remote = RemoteCluster.connect(
                        HttpRemote.create(HttpRemoteOptions.defaults()),
                        nodes.topology().nodes().stream()
                                .map(node -> node.address())
                                .toList(),
                        RemoteOptions.defaults())) {
            for (int victim = 0; victim < 3; victim++) {
                writeAndRead(remote, "before " + victim, false);
                int dying = victim;
                CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> nodes.stop(dying));
                while (!stopped.isDone()) {
                    writeAndRead(remote, "meanwhile " + victim, true);
                }
                stopped.join();
                writeAndRead(remote, "without " + victim, false);
                nodes.start(victim);
                writeAndRead(remote, "after " + victim, false);
            }
        }
    }

    @Test
    void refusingAddressIsReportedOnceInPlainWords() {
        String address = "127.0.0.1:" + FreePorts.find();

        assertThatThrownBy(() -> connect(address))
                .hasMessage("no node answered: " + address + ": nothing listens there (connection refused)");
        assertThatThrownBy(() -> connect("node.invalid:80"))
                .hasMessage("no node answered: node.invalid:80: the name of the host cannot be resolved");
        assertThatThrownBy(() -> connect("127.0.0.1:99999")).hasMessageContaining("1 to 65535");
    }

    private static void connect(String address) {
        RemoteCluster.connect(
                        HttpRemote.create(HttpRemoteOptions.defaults()), List.of(address), RemoteOptions.defaults())
                .close();
    }

    /** Writes some keys and reads each back. A write that a dying node had begun may be of unknown outcome. */
    private static void writeAndRead(Cluster remote, String prefix, boolean aNodeIsDying) throws Exception {
        for (int i = 0; i < 10; i++) {
            Key key = Key.of(prefix + " " + i);
            try {
                result(remote.put(key, prefix.getBytes(UTF_8)));
            } catch (ExecutionException e) {
                assertThat(aNodeIsDying).as("%s: %s", key, e.getCause()).isTrue();
                assertThat(e.getCause()).isInstanceOf(IndeterminateException.class);
                continue;
            }
            assertThat(result(remote.get(key)).map(Value::text)).contains(prefix);
        }
    }

    @Test
    void everythingWorksOverTlsWithAToken() throws Exception {
        TestCertificates authority = TestCertificates.in(directory);
        Path tokens = Files.writeString(directory.resolve("tokens"), "read,write " + TOKEN + "\n");
        HttpApiOptions served = HttpApiOptions.defaults()
                .withTls(authority.issue("api", "localhost").server())
                .withTokens(tokens);
        HttpRemoteOptions options = HttpRemoteOptions.defaults().withTls(authority.trusting());
        try (ApiNodes nodes = ApiNodes.three();
                HttpApi first = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), served);
                HttpApi second = HttpApi.listening("127.0.0.1", 0, nodes.cluster(1), served)) {
            List<String> addresses = List.of("localhost:" + first.port(), "localhost:" + second.port());
            try (Cluster remote = RemoteCluster.connect(
                    HttpRemote.create(options.withToken(TOKEN)), addresses, RemoteOptions.defaults())) {
                Map<Key, byte[]> values = new LinkedHashMap<>();
                for (int i = 0; i < 50; i++) {
                    values.put(Key.of(new byte[] {(byte) (200 + i)}), new byte[i]);
                }
                result(remote.putAll(values));
                assertThat(result(remote.getAll(values.keySet()))).hasSize(50);
                List<KeyValue> entries = new ArrayList<>();
                result(remote.scan(KeyRange.all()).forEach(entries::add));
                assertThat(entries).extracting(KeyValue::key).containsExactlyElementsOf(values.keySet());
                assertThat(remote.topology()).isEqualTo(nodes.topology());
                result(remote.delete(Key.of(new byte[] {(byte) 200})));
                assertThat(result(remote.get(Key.of(new byte[] {(byte) 200})))).isEmpty();
            }
            assertThatThrownBy(() -> RemoteCluster.connect(
                            HttpRemote.create(options.withToken("not-the-right-one")),
                            addresses,
                            RemoteOptions.defaults()))
                    .isInstanceOf(DhtException.class)
                    .satisfies(e -> assertThat(((DhtException) e).code())
                            .isIn(ErrorCode.UNAUTHENTICATED, ErrorCode.NOT_SERVING))
                    .hasMessageNotContaining("not-the-right-one");
        }
    }
}
