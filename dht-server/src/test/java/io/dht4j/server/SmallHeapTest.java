package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.testkit.network.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers in processes with small heaps, of which more is asked than their heaps hold: they refuse, and go on. */
@Tag("full")
class SmallHeapTest {

    private static final int MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path directory;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<ServerProcess> servers = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(ServerProcess::close);
    }

    private void start(String heap, int nodes, String... options) throws Exception {
        start(heap, "Serial", nodes, options);
    }

    private void start(String heap, String collector, int nodes, String... options) throws Exception {
        // Over gRPC and TCP, peers have ports of their own.
        boolean ownPorts = List.of(options).contains("grpc") || List.of(options).contains("tcp");
        if (ports.isEmpty()) {
            ports.addAll(FreePorts.find(ownPorts ? 2 * nodes : nodes));
        }
        for (int number = 1; number <= nodes; number++) {
            List<String> all = new ArrayList<>(List.of(
                    "--id",
                    "n" + number,
                    "--listen",
                    "127.0.0.1:" + ports.get(number - 1),
                    "--peers",
                    TestNodes.peers(ports.subList(ownPorts ? nodes : 0, ports.size())),
                    "--timeout",
                    "20000"));
            if (!List.of(options).contains("memory")) {
                all.addAll(List.of("--data", directory.resolve("n" + number).toString()));
            }
            all.addAll(List.of(options));
            servers.add(ServerProcess.startWithHeap(heap, collector, directory, all.toArray(String[]::new)));
        }
        for (ServerProcess server : servers) {
            server.awaitReady();
        }
    }

    private HttpRequest.Builder request(int node, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.get(node) + path))
                .timeout(PATIENCE);
    }

    private CompletableFuture<Integer> put(int node, String key, int bytes) {
        return http.sendAsync(
                        request(node, "/v0/entity?id=" + key)
                                .PUT(BodyPublishers.ofByteArray(new byte[bytes]))
                                .build(),
                        BodyHandlers.discarding())
                .handle((response, error) -> error == null ? response.statusCode() : -1);
    }

    /** Puts, and repeats the put after a pause when the node is overloaded. */
    private void putForSure(int node, String key, int bytes) {
        await("put " + key)
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> put(node, key, bytes).join() == 201);
    }

    private int get(int node, String key) throws Exception {
        HttpResponse<byte[]> response =
                http.send(request(node, "/v0/entity?id=" + key).build(), BodyHandlers.ofByteArray());
        return response.statusCode() == 200 ? response.body().length : -response.statusCode();
    }

    private void assertSound(int node) throws Exception {
        HttpResponse<String> status = http.send(request(node, "/v0/status").build(), BodyHandlers.ofString());
        assertThat(status.statusCode()).isEqualTo(200);
        assertThat(status.body()).doesNotContain("WRITES_REFUSED", "DAMAGED_DATA");
        assertThat(servers.get(node).isAlive()).as(servers.get(node).err()).isTrue();
    }

    private void awaitSound(int node) {
        await("node " + node + " is sound").atMost(PATIENCE).untilAsserted(() -> assertSound(node));
    }

    /** With the collector that compacts, and with the one that a JVM takes by itself. */
    @ParameterizedTest
    @CsvSource({"Serial, http", "G1, http", "Serial, grpc", "Serial, tcp"})
    void smallHeapServesLargestValuesAcrossRestarts(String collector, String transport) throws Exception {
        int largest = 16 * MIB;
        start("128m", collector, 3, "--transport", transport);
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<Integer>> puts = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                puts.add(put(i, "key-" + i, largest));
            }
            puts.forEach(CompletableFuture::join);
        }
        for (int i = 0; i < 4; i++) {
            putForSure(i % 3, "key-" + i, largest);
        }
        for (int node = 0; node < 3; node++) {
            awaitSound(node);
        }

        servers.forEach(ServerProcess::kill);
        servers.clear();
        start("128m", collector, 3, "--transport", transport);
        for (int i = 0; i < 4; i++) {
            String key = "key-" + i;
            int node = (i + 1) % 3;
            await("get " + key).atMost(PATIENCE).until(() -> get(node, key) == largest);
        }
        putForSure(1, "key-5", largest);
    }

    @Test
    void oversizedBatchReadsAreRefusedAndWritesServed() throws Exception {
        start("128m", 1, "--max-value-bytes", Integer.toString(8 * MIB));
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            putForSure(0, "key-" + i, 8 * MIB);
            String key = Base64.getEncoder().encodeToString(("key-" + i).getBytes(StandardCharsets.US_ASCII));
            lines.append("{\"key_base64\":\"").append(key).append("\"}\n");
        }
        HttpRequest batch = request(0, "/v0/batch-get")
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(lines.toString()))
                .build();
        List<CompletableFuture<HttpResponse<Void>>> batches = IntStream.range(0, 6)
                .mapToObj(i -> http.sendAsync(batch, BodyHandlers.discarding()))
                .toList();
        for (CompletableFuture<HttpResponse<Void>> each : batches) {
            assertThat(each.join().statusCode()).isEqualTo(503);
        }
        awaitSound(0);
        putForSure(0, "another", 8 * MIB);
        assertThat(get(0, "key-7")).isEqualTo(8 * MIB);
    }

    @Test
    void unreadScansAreBoundedAndWritesServed() throws Exception {
        start("128m", 1, "--max-value-bytes", Integer.toString(8 * MIB));
        for (int i = 0; i < 10; i++) {
            putForSure(0, "key-" + i, 8 * MIB);
        }
        try (Socket socket = new Socket("127.0.0.1", ports.get(0))) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            Http2Scans.open(socket, 60);
            // All but some are refused, which needs no window.
            Http2Scans.awaitEnds(socket, 50);
            awaitSound(0);
            putForSure(0, "another", 8 * MIB);
        }
        await("what they held is given back").atMost(PATIENCE).until(() -> get(0, "key-3") == 8 * MIB);
    }

    @Test
    void fullMemoryStoreRefusesAndServerStopsCleanly() throws Exception {
        start("96m", 1, "--store", "memory", "--max-value-bytes", Integer.toString(8 * MIB));
        boolean refused = false;
        for (int round = 0; round < 8; round++) {
            List<CompletableFuture<Integer>> puts = new ArrayList<>();
            for (int i = 0; i < 14; i++) {
                puts.add(put(0, "key-" + round + "-" + i, 8 * MIB));
            }
            for (CompletableFuture<Integer> each : puts) {
                refused |= each.join() != 201;
            }
        }
        assertThat(refused).isTrue();
        awaitSound(0);
        assertThat(put(0, "small", 1).join()).isEqualTo(201);
        servers.get(0).terminate();
        assertThat(servers.get(0).exitCode()).isZero();
    }

    @Test
    void aHeapThatIsTooSmallIsRefusedWithTheOneThatIsNeeded() throws Exception {
        ports.addAll(FreePorts.find(1));
        servers.add(ServerProcess.startWithHeap(
                "96m", directory, "--listen", "127.0.0.1:" + ports.get(0), "--store", "memory"));
        assertThat(servers.get(0).exitCode()).isNotZero();
        assertThat(servers.get(0).err())
                .contains("--max-value-bytes: values of up to 16777216 bytes need a heap of 120 MiB", "-Xmx128m")
                .doesNotContain("\tat ");
    }

    /** Streams over HTTP/2 whose flow-control window is zero, written by hand: no client makes such. */
    private static final class Http2Scans {

        private static final int HEADERS = 1;
        private static final int RESET = 3;
        private static final int SETTINGS = 4;
        private static final int END_STREAM = 1;
        private static final int END_HEADERS = 4;
        private static final int INITIAL_WINDOW_SIZE = 4;

        static void open(Socket socket, int streams) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] noWindow = ByteBuffer.allocate(6)
                    .putShort((short) INITIAL_WINDOW_SIZE)
                    .putInt(0)
                    .array();
            frame(out, SETTINGS, 0, 0, noWindow);
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            field(block, ":method", "GET");
            field(block, ":scheme", "http");
            field(block, ":path", "/v0/entities?start=key&ack=1&from=1");
            field(block, ":authority", "127.0.0.1:" + socket.getPort());
            for (int i = 0; i < streams; i++) {
                frame(out, HEADERS, END_STREAM | END_HEADERS, 2 * i + 1, block.toByteArray());
            }
            out.flush();
        }

        private static void field(ByteArrayOutputStream block, String name, String value) {
            block.write(0);
            block.write(name.length());
            block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
            block.write(value.length());
            block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
        }

        private static void frame(OutputStream out, int type, int flags, int stream, byte[] payload)
                throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
            frame.putInt(payload.length << 8 | type)
                    .put((byte) flags)
                    .putInt(stream)
                    .put(payload);
            out.write(frame.array());
        }

        /** Reads until so many streams have an answer or are reset. */
        static void awaitEnds(Socket socket, int streams) throws IOException {
            InputStream in = socket.getInputStream();
            for (int ended = 0; ended < streams; ) {
                ByteBuffer head = ByteBuffer.wrap(in.readNBytes(9));
                int first = head.getInt();
                in.readNBytes(first >>> 8);
                int type = first & 0xFF;
                ended += type == HEADERS || type == RESET ? 1 : 0;
            }
        }
    }
}
