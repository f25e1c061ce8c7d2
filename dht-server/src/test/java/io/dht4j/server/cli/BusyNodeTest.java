package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that has no room for the first requests: each command waits until it has. */
class BusyNodeTest {

    private static final int REFUSED = 2;

    private static final String STATUS = "{\"id\":\"n1\",\"running\":false,\"rounds\":9}";

    private static final AtomicInteger REQUESTS = new AtomicInteger();

    private static HttpServer node;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startNode() throws IOException {
        node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/", BusyNodeTest::answer);
        node.start();
    }

    @AfterAll
    static void stopNode() {
        node.stop(0);
    }

    @BeforeEach
    void nothingWasRefusedYet() {
        REQUESTS.set(0);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        String path = exchange.getRequestURI().getPath();
        if (REQUESTS.incrementAndGet() <= REFUSED) {
            send(exchange, 503, "{\"name\":\"OVERLOADED\",\"detail\":\"too much\"}");
        } else if (path.equals("/v0/status") || path.equals("/v0/repair")) {
            send(exchange, 200, STATUS);
        } else {
            exchange.getResponseHeaders().add("Dht-Version", "5");
            exchange.getResponseHeaders().add("Dht-Number", "5");
            int status = switch (exchange.getRequestMethod()) {
                case "PUT", "POST" -> 201;
                case "DELETE" -> path.equals("/v0/atomic") ? 204 : 202;
                default -> 200;
            };
            send(exchange, status, "");
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dump",
                "snapshot --out DIRECTORY",
                "scan",
                "get k",
                "put k v",
                "delete k",
                "atomic get --map m k",
                "atomic put --map m k v",
                "atomic add --map m k",
                "atomic delete --map m k",
                "status",
                "repair --status"
            })
    void aCommandWaitsForRoom(String command) {
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        arguments.replaceAll(
                text -> text.replace("DIRECTORY", directory.resolve("s").toString()));
        arguments.addAll(
                List.of("--node", "http://127.0.0.1:" + node.getAddress().getPort()));

        CommandLineRun run = CommandLineRun.of(arguments.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(REQUESTS).hasValueGreaterThan(REFUSED);
    }
}
