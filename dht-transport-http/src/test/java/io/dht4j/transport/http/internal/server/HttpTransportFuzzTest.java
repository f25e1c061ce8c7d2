package io.dht4j.transport.http.internal.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.TransportInternals;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bytes that no transport sends, at the peer endpoint. */
class HttpTransportFuzzTest {

    private static final int CASES = 1_000;

    /** The version may be another than ours: Vert.x repeats what the request says there. */
    private static final Pattern STATUS_LINE = Pattern.compile("[^ \r\n]{1,20} [1-5][0-9][0-9] [^\r\n]*\r\n");

    private final HttpTransport transport = HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 0)
            .withMaxFrameBytes(1 << 20)
            .withMaxInFlightBytes(8 << 20)
            .withDrainTimeout(Duration.ofMillis(100)));

    @BeforeEach
    void start() throws Exception {
        transport
                .start((request, context) -> CompletableFuture.completedFuture(request))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        transport.close();
    }

    @Test
    void fuzzedRequestsGetAnAnswerOrAreClosed() throws Exception {
        for (int seed = 0; seed < CASES; seed++) {
            String answer = exchange(badRequest(new SplittableRandom(seed)));
            assertThat(answer.isEmpty() || STATUS_LINE.matcher(answer).lookingAt())
                    .as("seed %d answered %s", seed, answer)
                    .isTrue();
            if (seed % 50 == 0) {
                assertServes();
            }
        }
        assertServes();
        assertNothingHeld();
    }

    @Test
    void missingAndBadHeadersAreNamed() throws Exception {
        assertThat(exchange(post("Content-Length: 0\r\n", "")))
                .startsWith("HTTP/1.1 400")
                .contains("Dht-Deadline");
        for (String deadline : List.of("", "0", "-1", "soon", "1.5", "99999999999999999999")) {
            assertThat(exchange(post("Content-Length: 0\r\nDht-Deadline-Micros: " + deadline + "\r\n", "")))
                    .as(deadline)
                    .startsWith("HTTP/1.1 400")
                    .contains("Dht-Deadline-Micros must be 1 to 3600000000");
        }
        assertThat(exchange(post("Dht-Deadline-Micros: 1000000\r\n", ""))).startsWith("HTTP/1.1 411");
        assertThat(exchange(post("Dht-Deadline-Micros: 1000000\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")))
                .startsWith("HTTP/1.1 411");
        assertThat(exchange(bytes("GET /peer/v1/frame HTTP/1.1\r\nHost: localhost\r\n\r\n")))
                .startsWith("HTTP/1.1 405")
                .containsIgnoringCase("allow: POST");
        assertServes();
        assertNothingHeld();
    }

    @Test
    void aBodyOverTheLimitIsRefusedWithoutBeingRead() throws Exception {
        for (String length : List.of("1048577", "2147483648", "999999999999999999", "9223372036854775807")) {
            String answer =
                    exchange(post("Dht-Deadline-Micros: 1000000\r\nContent-Length: " + length + "\r\n", ""), false);
            assertThat(answer)
                    .as(length)
                    .startsWith("HTTP/1.1 413")
                    .contains("1048576")
                    .contains(length);
        }
        assertServes();
        assertNothingHeld();
    }

    @Test
    void declaredBytesCountUntilTheConnectionEnds() throws Exception {
        List<Socket> stalled = new ArrayList<>();
        try {
            byte[] beginning = post("Dht-Deadline-Micros: 3600000000\r\nContent-Length: 1048576\r\n", "only this");
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), transport.port());
                stalled.add(socket);
                socket.getOutputStream().write(beginning);
            }
            await().untilAsserted(() -> assertThat(server().inFlightBytes()).isEqualTo(8 << 20));
            assertThat(exchange(post("Dht-Deadline-Micros: 1000000\r\nContent-Length: 1\r\n", "a")))
                    .startsWith("HTTP/1.1 429")
                    .containsIgnoringCase("Dht-Outcome: not-sent");
        } finally {
            for (Socket socket : stalled) {
                socket.close();
            }
        }
        assertNothingHeld();
        assertServes();
    }

    @Test
    void aBodyThatComesInDropsLosesItsConnectionAtItsDeadline() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), transport.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(post("Dht-Deadline-Micros: 200000\r\nContent-Length: 100000\r\n", "a drop"));
            assertThat(readAll(socket)).isEmpty();
        }
        assertNothingHeld();
    }

    private static byte[] badRequest(SplittableRandom random) {
        byte[] body = new byte[random.nextInt(2_000)];
        random.nextBytes(body);
        byte[] good = concat(
                bytes("POST /peer/v1/frame HTTP/1.1\r\nHost: localhost\r\nDht-Deadline-Micros: 500000\r\n"
                        + "Content-Length: "
                        + body.length + "\r\n\r\n"),
                body);
        return switch (random.nextInt(8)) {
            case 0 -> Arrays.copyOf(good, random.nextInt(good.length));
            case 1 -> body;
            case 2 -> flipped(good, random, 1 + random.nextInt(20), good.length);
            case 3 -> flipped(good, random, 1 + random.nextInt(3), 60);
            case 4 -> post("Dht-Deadline-Micros: 500000\r\nContent-Length: " + random.nextLong() + "\r\n", "abc");
            case 5 -> post("Dht-Deadline-Micros: 500000\r\nContent-Length: " + random.nextInt(2_000) + "\r\n", "abc");
            case 6 -> post("X: " + "y".repeat(random.nextInt(20_000)) + "\r\n", "");
            default -> concat(good, concat(body, good));
        };
    }

    private static byte[] flipped(byte[] bytes, SplittableRandom random, int times, int within) {
        byte[] result = bytes.clone();
        for (int i = 0; i < times; i++) {
            result[random.nextInt(within)] = (byte) random.nextInt();
        }
        return result;
    }

    private static byte[] post(String headers, String body) {
        return bytes("POST /peer/v1/frame HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + body);
    }

    private String exchange(byte[] request) throws IOException {
        return exchange(request, true);
    }

    /** Sends bytes, and no more if {@code end}; reads until the server hangs up. */
    private String exchange(byte[] request, boolean end) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), transport.port())) {
            socket.setSoTimeout(30_000);
            try {
                socket.getOutputStream().write(request);
            } catch (SocketException e) {
                return "";
            }
            if (end) {
                // An answer comes before the end of the connection is seen: give it the chance.
                return readSome(socket) + finish(socket);
            }
            return readAll(socket);
        }
    }

    private static String readSome(Socket socket) throws IOException {
        socket.setSoTimeout(20);
        try {
            byte[] buffer = new byte[8_192];
            int read = socket.getInputStream().read(buffer);
            return read < 0 ? "" : new String(buffer, 0, read, ISO_8859_1);
        } catch (SocketTimeoutException e) {
            return "";
        } catch (SocketException e) {
            return "";
        } finally {
            socket.setSoTimeout(30_000);
        }
    }

    private static String finish(Socket socket) throws IOException {
        try {
            socket.shutdownOutput();
        } catch (SocketException e) {
            return "";
        }
        return readAll(socket);
    }

    private static String readAll(Socket socket) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (SocketException e) {
            // Reset: a closed connection, too.
            return all.toString(ISO_8859_1);
        }
        return all.toString(ISO_8859_1);
    }

    private void assertServes() throws Exception {
        byte[] reply = transport
                .call(
                        Node.of("self", "127.0.0.1:" + transport.port()),
                        Frame.of(bytes("well")),
                        new CallContext(System::nanoTime, Duration.ofSeconds(30).toNanos()))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        assertThat(reply).isEqualTo(bytes("well"));
    }

    private void assertNothingHeld() {
        await().untilAsserted(() -> {
            assertThat(server().inFlight()).isZero();
            assertThat(server().inFlightBytes()).isZero();
        });
    }

    private HttpTransportServer server() {
        return TransportInternals.server(transport);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static byte[] concat(byte[] a, byte[] b) {
        byte[] result = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, result, a.length, b.length);
        return result;
    }
}
