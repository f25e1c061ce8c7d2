package io.dht4j.benchmarks.load.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadException;
import io.dht4j.lab.internal.load.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers of a scripted server that no node gives in sequence. */
@Timeout(60)
class HttpLoadClientTest {

    private static final String FOUND = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab";

    private final AtomicInteger accepted = new AtomicInteger();
    private ServerSocket server;
    private Thread accepting;
    private volatile String answer = FOUND;
    private volatile boolean closing;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        accepting = daemon(this::accept);
    }

    /** Stops listening. A thread that still accepts would take one more connection after the socket is closed. */
    @AfterEach
    void stop() throws Exception {
        server.close();
        accepting.join();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "scripted server");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                accepted.incrementAndGet();
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            assertThat(server.isClosed()).isTrue();
        }
    }

    /** Gets only, which have no body. */
    private void serve(Socket socket) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                    if (closing) {
                        return;
                    }
                }
            }
        } catch (IOException e) {
            // The client has disconnected.
            assertThat(socket.isClosed()).isTrue();
        }
    }

    private LoadClient open() {
        return LoadClients.open(
                ClientSpec.http(List.of("127.0.0.1:" + server.getLocalPort())).withConnections(1, 1));
    }

    private static Outcome get(LoadClient client) throws Exception {
        try {
            return client.get(1).toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    @Test
    void aConnectionIsUsedAgainAndAgain() throws Exception {
        try (LoadClient client = open()) {
            for (int i = 0; i < 20; i++) {
                assertThat(get(client)).isEqualTo(Outcome.DONE);
            }
        }
        assertThat(accepted).hasValue(1);
    }

    @Test
    void connectionMarkedCloseIsNotReused() throws Exception {
        answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab";
        closing = true;
        try (LoadClient client = open()) {
            for (int i = 0; i < 20; i++) {
                assertThat(get(client)).isEqualTo(Outcome.DONE);
            }
        }
        assertThat(accepted).hasValue(20);
    }

    @Test
    void truncatedAnswerFailsAndTheNextCallSucceeds() throws Exception {
        answer = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nab";
        closing = true;
        try (LoadClient client = open()) {
            assertThatThrownBy(() -> get(client))
                    .extracting(LoadException::nameOf)
                    .isEqualTo("connection closed");
            answer = FOUND;
            closing = false;
            assertThat(get(client)).isEqualTo(Outcome.DONE);
        }
    }

    @Test
    void invalidAnswerIsAnError() {
        answer = "what?\r\n\r\n";
        try (LoadClient client = open()) {
            assertThatThrownBy(() -> get(client)).isInstanceOf(LoadException.class);
        }
    }

    @Test
    void oversizedProblemIsReportedByItsStatus() {
        answer = "HTTP/1.1 503 No\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000);
        try (LoadClient client = open()) {
            assertThatThrownBy(() -> get(client))
                    .hasMessage("an answer that is no problem document")
                    .extracting(LoadException::nameOf)
                    .isEqualTo("HTTP 503");
        }
    }

    @Test
    void refusedConnectionNamesTheAddress() throws Exception {
        int port = server.getLocalPort();
        try (LoadClient client = open()) {
            stop();
            assertThatThrownBy(() -> get(client))
                    .hasMessage("127.0.0.1:" + port + ": nothing listens there (connection refused)")
                    .extracting(LoadException::nameOf)
                    .isEqualTo("not connected");
        }
    }

    @Test
    void callsOfAClosedTargetFail() {
        LoadClient client = open();
        client.close();
        client.close();

        assertThatThrownBy(() -> get(client)).extracting(LoadException::nameOf).isEqualTo("closed");
    }
}
