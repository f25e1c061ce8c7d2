package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.DhtLock;
import io.dht4j.HeldLock;
import io.dht4j.Key;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The shell and a server that stops while it executes an atomic operation. */
@Tag("full")
class AtomicProcessTest {

    private static final Pattern REMEDY = Pattern.compile(
            "it may be executed or not: repeat the command soon with (--request-id) ([0-9a-f-]{36}), so that it is"
                    + " executed once");

    @TempDir
    private Path directory;

    private String url = "";

    private ServerProcess start(int port) throws Exception {
        url = "http://127.0.0.1:" + port;
        ServerProcess server = start(1, List.of(port));
        server.awaitReady();
        return server;
    }

    /** Starts one of some nodes, which does not wait for the others. */
    private ServerProcess start(int number, List<Integer> ports) throws Exception {
        return ServerProcess.start(
                directory,
                "--id",
                "n" + number,
                "--listen",
                "127.0.0.1:" + ports.get(number - 1),
                "--data",
                directory.resolve("data" + number).toString(),
                "--bootstrap",
                IntStream.rangeClosed(1, ports.size())
                        .mapToObj(i -> "n" + i + "=127.0.0.1:" + ports.get(i - 1))
                        .collect(Collectors.joining(",")));
    }

    private CommandLineRun add(String... options) {
        List<String> args = new ArrayList<>(List.of("atomic", "add", "--map", "m", "k", "--node", url));
        args.addAll(List.of(options));
        return CommandLineRun.of(args.toArray(String[]::new));
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void errorLineHasTheOptionThatRepeatsTheOperationOnce() throws Exception {
        int port = FreePorts.find();
        List<String> repeat;
        try (ServerProcess server = start(port)) {
            assertThat(add().out().strip()).isEqualTo("1");
            server.signal("STOP");
            CommandLineRun unknown = add("--timeout", "500");
            assertThat(unknown.exitCode()).isEqualTo(1);
            assertThat(unknown.err())
                    .startsWith("dht atomic add: " + url + ": no answer within 500 ms; ")
                    .hasLineCount(1);
            Matcher remedy = REMEDY.matcher(unknown.err());
            assertThat(remedy.find()).as(unknown.err()).isTrue();
            repeat = List.of(remedy.group(1), remedy.group(2));
            assertThat(CommandLineRun.of("put", "k", "v", "--node", url, "--timeout", "500")
                            .err())
                    .isEqualTo("dht put: " + url + ": no answer within 500 ms; the write may take effect or not: repeat"
                            + " it" + System.lineSeparator());
            server.signal("CONT");

            assertThat(add(repeat.toArray(String[]::new)).out().strip()).isEqualTo("2");
            server.kill();
        }
        try (ServerProcess again = start(port)) {
            assertThat(add(repeat.toArray(String[]::new)).out().strip()).isEqualTo("2");
            assertThat(add().out().strip()).isEqualTo("3");
            again.terminate();
            assertThat(again.exitCode()).isZero();
        }
    }

    @Test
    void aLockOutlivesNodesAndEndsWithItsHolder() throws Exception {
        Duration lease = Duration.ofSeconds(4);
        List<Integer> ports = FreePorts.find(3);
        try (ServerProcess first = start(1, ports);
                ServerProcess second = start(2, ports);
                ServerProcess third = start(3, ports)) {
            first.awaitReady();
            second.awaitReady();
            third.awaitReady();
            try (RemoteCluster other = connect(ports)) {
                DhtLock lock = other.lock("locks", Key.of("reports"));
                HeldLock held;
                try (RemoteCluster holder = connect(ports)) {
                    held = holder.lock("locks", Key.of("reports"))
                            .sync()
                            .tryLock(Duration.ofSeconds(20), lease)
                            .orElseThrow();
                    second.kill();
                    assertThat(lock.sync().tryLock(lease.multipliedBy(2), lease))
                            .as("while it is renewed")
                            .isEmpty();
                    assertThat(held.remaining()).isPositive();
                }
                assertThat(held.ended().toCompletableFuture().join()).isEqualTo("this client is closed");
                HeldLock next =
                        lock.sync().tryLock(lease.multipliedBy(2), lease).orElseThrow();
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(next.release().toCompletableFuture().join()).isTrue();
            }
        }
    }

    private static RemoteCluster connect(List<Integer> ports) {
        return RemoteCluster.connect(
                HttpRemote.create(HttpRemoteOptions.defaults()),
                ports.stream().map(port -> "127.0.0.1:" + port).toList(),
                RemoteOptions.defaults());
    }
}
