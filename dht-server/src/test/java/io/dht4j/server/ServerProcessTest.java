package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.testkit.network.FreePorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerProcessTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    @Test
    @Tag("jdk")
    void serverReportsReadyServesAndStopsWithZero() throws Exception {
        int port = FreePorts.find();
        String url = "http://127.0.0.1:" + port;
        try (ServerProcess server = start(port, "data")) {
            assertThat(server.awaitReady()).isEqualTo("ready n1 " + url + " transport=http tls=off tokens=off");
            assertThat(send("PUT", url + "/v0/entity?id=k", "v").statusCode()).isEqualTo(201);
            assertThat(send("GET", url + "/v0/entity?id=k", "").body()).isEqualTo("v");

            server.terminate();

            assertThat(server.exitCode()).isZero();
            assertThat(server.err())
                    .isEqualTo("dht server: created the data directory " + directory.resolve("data")
                            + ", which was not there" + System.lineSeparator());
        }
        try (ServerProcess again = start(port, "data")) {
            again.awaitReady();
            assertThat(send("GET", url + "/v0/entity?id=k", "").body()).isEqualTo("v");
            assertThat(again.err()).isEmpty();
        }
    }

    @Test
    void thePublicApiMayHaveAPortOfItsOwn() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        try (ServerProcess server = ServerProcess.start(
                directory,
                "--listen",
                "127.0.0.1:" + ports.get(0),
                "--peers",
                "n1=127.0.0.1:" + ports.get(1),
                "--store",
                "memory")) {
            server.awaitReady();
            assertThat(server.err()).contains("in memory only").hasLineCount(1);
            String url = "http://127.0.0.1:" + ports.get(0);
            assertThat(send("PUT", url + "/v0/entity?id=k", "v").statusCode()).isEqualTo(201);
            assertThat(send("GET", "http://127.0.0.1:" + ports.get(1) + "/v0/entity?id=k", "")
                            .statusCode())
                    .isEqualTo(503);
        }
    }

    @Test
    void aBusyPortIsOneLineAndExitCode1() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerProcess server = start(busy.getLocalPort(), "data")) {
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err())
                    .contains("127.0.0.1:" + busy.getLocalPort())
                    .hasLineCount(1);
        }
        assertThat(directory.resolve("data")).doesNotExist();
    }

    @Test
    void aServerThatCannotStartMakesNoDirectory() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerProcess server =
                        start(ports.get(0), "data", "--grpc-listen", "127.0.0.1:" + busy.getLocalPort());
                ServerProcess other = start(ports.get(1), "data", "--tokens", directory.resolve("none") + "")) {
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err())
                    .contains("127.0.0.1:" + busy.getLocalPort())
                    .hasLineCount(1);
            assertThat(other.exitCode()).isEqualTo(1);
            assertThat(other.err())
                    .contains(directory.resolve("none").toString())
                    .hasLineCount(1);
        }
        assertThat(directory.resolve("data")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void twoPeersAtOneAddressAreWrongUsage(String host) throws Exception {
        List<Integer> ports = FreePorts.find(2);
        String first = "127.0.0.1:" + ports.get(0);
        String second = host + ":" + ports.get(0);
        try (ServerProcess server = ServerProcess.start(
                directory,
                "--listen",
                first,
                "--peers",
                "n1=" + first + ",n2=" + second + ",n3=127.0.0.1:" + ports.get(1),
                "--data",
                directory.resolve("data").toString())) {
            assertThat(server.exitCode()).isEqualTo(2);
            assertThat(server.err())
                    .contains("--peers: nodes n1 and n2 have the same address")
                    .contains(second)
                    .hasLineCount(2);
        }
        assertThat(directory.resolve("data")).doesNotExist();
    }

    @Test
    void helpIsAllThatHelpWrites() throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, "--help")) {
            assertThat(server.exitCode()).isZero();
            // The parser reports a wrong description, with a percent sign for example, on standard error.
            assertThat(server.err()).isEmpty();
        }
    }

    @Test
    void aFileInPlaceOfTheDirectoryIsOneLineAndExitCode1() throws Exception {
        Files.writeString(directory.resolve("file"), "not a directory");
        try (ServerProcess server = start(FreePorts.find(), "file")) {
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err())
                    .contains(directory.resolve("file") + " cannot be used as a store's directory (it is a file)")
                    .hasLineCount(1);
        }
    }

    @Test
    void aLockedDirectoryIsOneLineAndExitCode1() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        try (ServerProcess first = start(ports.get(0), "data")) {
            first.awaitReady();
            try (ServerProcess second = start(ports.get(1), "data")) {
                assertThat(second.exitCode()).isEqualTo(1);
                assertThat(second.err()).contains("data").contains("locked").hasLineCount(1);
            }
        }
    }

    @Test
    @Tag("full")
    void theDirectoryOfAnotherNodeIsRefused() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        try (ServerProcess first = startOneOfTwo("n1", ports)) {
            first.awaitReady();
            first.terminate();
            assertThat(first.exitCode()).isZero();
        }
        try (ServerProcess second = startOneOfTwo("n2", ports)) {
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.err()).contains("name n1; this one has name n2.").hasLineCount(1);
        }
        try (ServerProcess again = startOneOfTwo("n1", ports)) {
            again.awaitReady();
        }
    }

    private ServerProcess startOneOfTwo(String id, List<Integer> ports) throws Exception {
        return ServerProcess.start(
                directory,
                "--id",
                id,
                "--listen",
                "127.0.0.1:" + ports.get(id.equals("n1") ? 0 : 1),
                "--peers",
                "n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1),
                "--data",
                directory.resolve("data").toString());
    }

    @Test
    void aForeignDirectoryIsOneLineAndExitCode1() throws Exception {
        Path foreign = Files.createDirectory(directory.resolve("foreign"));
        Files.writeString(foreign.resolve("letter.txt"), "Dear Ann");
        try (ServerProcess server = start(FreePorts.find(), "foreign")) {
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err()).contains(foreign.toString()).hasLineCount(1);
        }
        assertThat(foreign).isDirectoryNotContaining(file -> !file.endsWith("letter.txt"));
    }

    @Test
    void aDirectoryThatCannotBeMadeIsOneLineAndExitCode1() throws Exception {
        Files.writeString(directory.resolve("file"), "not a directory");
        try (ServerProcess server = start(FreePorts.find(), "file/data")) {
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err()).contains("file").hasLineCount(1);
        }
    }

    private ServerProcess start(int port, String data, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of(
                "--listen",
                "127.0.0.1:" + port,
                "--data",
                directory.resolve(data).toString()));
        options.addAll(List.of(more));
        return ServerProcess.start(directory, options.toArray(String[]::new));
    }

    private static HttpResponse<String> send(String method, String url, String body) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(url))
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }
}
