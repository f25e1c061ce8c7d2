package io.dht4j.transport.http.internal.remote;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.spi.RemoteApi;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the remote client makes of servers that are something else, lie, or break off. */
@Timeout(60)
class HttpRemoteFaultTest {

    private static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(Duration.ofSeconds(30));
    private static final Key KEY = Key.of("a");
    private static final String VALUE_HEAD = "HTTP/1.1 200 OK\r\nDht-Version: 7\r\n";
    private static final String LINES_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n";
    private static final String LINE =
            "{\"key\":\"a\",\"key_base64\":\"YQ==\",\"value_base64\":\"dg==\",\"version\":\"7\"}\n";

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Handler log = new StreamHandler() {
        @Override
        public synchronized void publish(LogRecord entry) {
            if (entry.getThrown() != null) {
                logged.add(entry.getLoggerName() + ": " + entry.getThrown());
            }
        }
    };
    private RemoteApi remote;

    @BeforeEach
    void open() {
        // The log of the library below.
        Logger.getLogger("io.vertx").addHandler(log);
        remote = HttpRemote.create(
                HttpRemoteOptions.defaults().withMaxValueBytes(1000).withMaxBatchBytes(2000));
    }

    @AfterEach
    void closeAll() throws Exception {
        remote.close();
        for (AutoCloseable each : opened) {
            each.close();
        }
        Logger.getLogger("io.vertx").removeHandler(log);
        assertThat(logged).isEmpty();
    }

    /** A server that answers every connection's first request with the same bytes, and hangs up. */
    private String answering(String bytes) throws IOException {
        return answering(bytes, HttpRemoteFaultTest::readRequest);
    }

    /** A server that writes bytes on every connection once it has read something, and hangs up. */
    private String answering(String bytes, Reading reading) throws IOException {
        ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        opened.add(listener);
        Thread thread = new Thread(() -> {
            while (!listener.isClosed()) {
                try (Socket socket = listener.accept()) {
                    reading.from(socket);
                    socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
                } catch (IOException e) {
                    // The test has ended, or the client has gone.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return "127.0.0.1:" + listener.getLocalPort();
    }

    private interface Reading {
        void from(Socket socket) throws IOException;
    }

    private static void readRequest(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = socket.getInputStream().read();
            if (c < 0) {
                return;
            }
            head.append((char) c);
        }
        int length = head.indexOf("content-length: ");
        if (length >= 0) {
            socket.getInputStream()
                    .readNBytes(Integer.parseInt(head.substring(length + 16, head.indexOf("\r\n", length))
                            .trim()));
        }
    }

    private static String sized(String head, String body) {
        return head + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static DhtException failure(CompletionStage<?> stage) throws Exception {
        try {
            Object result = stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            return (DhtException) e.getCause();
        }
    }

    private CompletionStage<?> get(String address) {
        return remote.get(address, KEY, OPTIONS);
    }

    private CompletionStage<?> scan(String address) {
        return remote.scan(address, KeyRange.from(KEY), ScanScope.CLUSTER, 2, OPTIONS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi",
                "HTTP/1.1 500 Oops\r\nContent-Type: application/problem+json\r\nContent-Length: 1\r\n\r\n{",
                "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\nproxy",
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nv",
                "HTTP/1.1 200 OK\r\nDht-Version: many\r\nContent-Length: 1\r\n\r\nv",
                "HTTP/1.1 200 OK\r\nDht-Version: 7\r\nContent-Length: 5\r\n\r\nv",
                "HTTP/1.1 200 OK\r\nDht-Version: 7\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nva",
                "SSH-2.0-OpenSSH\r\n\r\n",
                ""
            })
    void whatIsNoAnswerLeavesTheOutcomeUnknown(String answer) throws Exception {
        String address = answering(answer);
        DhtException error = failure(get(address));
        assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(error).hasMessageContaining(address);
    }

    @Test
    void unknownErrorCodeIsAnUnknownOutcome() throws Exception {
        String problem = "{\"title\":\"New\",\"status\":400,\"detail\":\"of tomorrow\",\"code\":1999,\"name\":\"NEW\"}";
        String address = answering(sized("HTTP/1.1 400 Bad\r\nContent-Type: application/problem+json\r\n", problem));
        DhtException error = failure(get(address));
        assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(error).hasMessageContaining("1999").hasMessageContaining("of tomorrow");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SSH-2.0-OpenSSH_9\r\n", "220 mail.example.com ESMTP\r\n"})
    void aServerOfAnotherProtocolIsNoAnswerOfThisApi(String greeting) throws Exception {
        String address = answering(greeting, socket -> {});
        assertThat(failure(get(address)))
                .hasMessageStartingWith(address + ": not an answer of this API")
                .hasMessageNotContaining("invalid version");
        assertThat(failure(get(answering(greeting)))).hasMessageContaining(": not an answer of this API");
    }

    @Test
    void aNodeThatServesNoClientsSaysWhy() throws Exception {
        String head = "HTTP/1.1 503 No\r\nDht-Outcome: not-sent\r\n";
        String json = "Content-Type: application/problem+json\r\n";
        DhtException error =
                failure(get(answering(sized(head + json, "{\"detail\":\"for other nodes only\",\"code\":3000}"))));
        assertThat(error.code()).isEqualTo(ErrorCode.NOT_SENT);
        assertThat(error).hasMessageContaining("for other nodes only");
        for (String other : List.of(
                sized(head, "no problem"),
                sized(head + json, "{"),
                sized(head + json, "x".repeat(100_000)),
                head + json + "Content-Length: 9\r\n\r\n{")) {
            assertThat(failure(get(answering(other))).code()).isEqualTo(ErrorCode.NOT_SENT);
        }
    }

    @Test
    void misdirectedRequestDoesNothingAndClosesItsConnection() throws Exception {
        String problem = "{\"title\":\"Bad\",\"status\":421,\"detail\":\"no name of this node\",\"code\":1000}";
        String answer = sized("HTTP/1.1 421 Misdirected\r\nContent-Type: application/problem+json\r\n", problem);
        CompletableFuture<Integer> next = new CompletableFuture<>();
        ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        opened.add(listener);
        Thread thread = new Thread(() -> {
            try (Socket socket = listener.accept()) {
                readRequest(socket);
                socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
                next.complete(socket.getInputStream().read());
            } catch (IOException e) {
                next.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();

        DhtException error = failure(remote.put("127.0.0.1:" + listener.getLocalPort(), KEY, new byte[1], OPTIONS));

        assertThat(error.code()).isEqualTo(ErrorCode.NOT_SENT);
        assertThat(error).hasMessageContaining("public host");
        assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo(-1);
    }

    @Test
    void answersOverTheBoundsAreRefused() throws Exception {
        assertThat(failure(get(answering(sized(VALUE_HEAD, "v".repeat(1001)))))).hasMessageContaining("1000 bytes");
        String chunks = "3E8\r\n" + "v".repeat(1000) + "\r\n1\r\nv\r\n0\r\n\r\n";
        assertThat(failure(get(answering(VALUE_HEAD + "Transfer-Encoding: chunked\r\n\r\n" + chunks))))
                .hasMessageContaining("1000 bytes");
        assertThat(failure(scan(answering(sized(LINES_HEAD, "x".repeat(100_000))))))
                .hasMessageContaining("1000 bytes");
        String problem = "{\"detail\":\"" + "x".repeat(100_000) + "\"}";
        String head = "HTTP/1.1 500 Oops\r\nContent-Type: application/problem+json\r\n";
        assertThat(failure(get(answering(sized(head, problem))))).hasMessageContaining("65536 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                LINE + "{\"key_base64\":\"Yg==\",\"value_base64\":\"dg==\"}\n",
                LINE + "{\"key_base64\":\"Yg==\",\"value_base64\":\"dg==\",\"version\":\"7\"}",
                LINE + "no json\n",
                LINE + LINE,
                LINE + "{\"key_base64\":\"Yg==\",\"value_base64\":\"dg==\",\"version\":\"7\",\"expires_at\":\"1\"}\n"
            })
    void linesThatAreNotAScansAreAnError(String body) throws Exception {
        assertThat(failure(scan(answering(sized(LINES_HEAD, body)))).code()).isEqualTo(ErrorCode.INTERNAL);
    }

    @Test
    void aScanThatBreaksOffBetweenLinesIsAnError() throws Exception {
        String cut = LINES_HEAD + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(LINE.length()) + "\r\n"
                + LINE + "\r\n";
        assertThat(failure(scan(answering(cut))).code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(remote.scan(answering(cut + "0\r\n\r\n"), KeyRange.from(KEY), ScanScope.CLUSTER, 2, OPTIONS)
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS))
                .hasSize(1);
    }

    @Test
    void batchReplyWithAnUnrequestedKeyIsAnError() throws Exception {
        String address = answering(sized(LINES_HEAD, LINE));
        assertThat(failure(remote.getAll(address, List.of(Key.of("b")), OPTIONS))
                        .code())
                .isEqualTo(ErrorCode.INTERNAL);
    }

    @Test
    void pastItsOwnBoundsTheClientSendsNothing() throws Exception {
        try (RemoteApi small = HttpRemote.create(HttpRemoteOptions.defaults()
                        .withMaxInFlight(2)
                        .withMaxValueBytes(1024)
                        .withMaxInFlightBytes(1024));
                ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            CompletionStage<?> large = small.put(address, KEY, new byte[1024], OPTIONS);
            DhtException error = failure(small.put(address, KEY, new byte[1], OPTIONS));
            assertThat(error.code()).isEqualTo(ErrorCode.OVERLOADED);
            assertThat(error).hasMessageContaining("1024 bytes");
            CompletionStage<?> waiting = small.get(address, KEY, OPTIONS);
            error = failure(small.get(address, KEY, OPTIONS));
            assertThat(error.code()).isEqualTo(ErrorCode.OVERLOADED);
            assertThat(error).hasMessageContaining("2 calls");
            assertThat(large.toCompletableFuture()).isNotDone();
            assertThat(waiting.toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void thePlaceOfACallIsFreeWhenItsCallerHasTheResult() throws Exception {
        try (RemoteApi one = HttpRemote.create(HttpRemoteOptions.defaults().withMaxInFlight(1))) {
            for (int call = 0; call < 20; call++) {
                CompletionStage<?> next = one.get("127.0.0.1:1", KEY, OPTIONS)
                        .handle((result, error) -> one.get("127.0.0.1:1", KEY, OPTIONS))
                        .thenCompose(second -> second);
                assertThat(failure(next).code()).isEqualTo(ErrorCode.NOT_SENT);
            }
        }
    }

    @Test
    void clientRefusesOnlyRequestsOverItsLimits() throws Exception {
        Map<Key, byte[]> batch = Map.of(KEY, new byte[1024], Key.of("another"), new byte[900]);
        HttpRemoteOptions options =
                HttpRemoteOptions.defaults().withMaxValueBytes(1024).withMaxInFlightBytes(1024);
        try (RemoteApi small = HttpRemote.create(options.withMaxBatchBytes(2048));
                RemoteApi smaller = HttpRemote.create(options.withMaxBatchBytes(1024))) {
            assertThat(failure(small.put("127.0.0.1:1", KEY, new byte[1025], OPTIONS)))
                    .hasMessageContaining("at most 1024 bytes, that of key " + KEY + " has 1025")
                    .extracting(DhtException::code)
                    .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
            assertThat(failure(small.putAll("127.0.0.1:1", Map.of(KEY, new byte[1025]), OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
            assertThat(failure(smaller.putAll("127.0.0.1:1", batch, OPTIONS)).code())
                    .isEqualTo(ErrorCode.BATCH_TOO_LARGE);
            assertThat(failure(smaller.getAll("127.0.0.1:1", List.of(Key.of("k".repeat(1025))), OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.BATCH_TOO_LARGE);
            assertThat(failure(small.put("127.0.0.1:1", KEY, new byte[1024], OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.NOT_SENT);
            assertThat(failure(small.putAll("127.0.0.1:1", batch, OPTIONS)).code())
                    .as("more than the bytes in flight, alone")
                    .isEqualTo(ErrorCode.NOT_SENT);
        }
    }

    @Test
    void optionsOutOfRangeAreNamedAndTheTokenIsNotShown() {
        HttpRemoteOptions options = HttpRemoteOptions.defaults();
        assertThatThrownBy(() -> options.withMaxInFlight(0)).hasMessageContaining("maxInFlight must be 1 to");
        assertThatThrownBy(() -> options.withMaxInFlightBytes(1024))
                .hasMessage("maxInFlightBytes must be at least maxValueBytes, which is 16777216, not 1024");
        assertThatThrownBy(() -> options.withConnectTimeout(Duration.ZERO)).hasMessageContaining("connectTimeout");
        assertThatThrownBy(() -> options.withToken("short secret"))
                .hasMessageContaining("token must be 16 to 512")
                .hasMessageNotContaining("secret");
        assertThat(options.withToken("a-secret-of-some-length").toString()).doesNotContain("secret-of");
    }
}
