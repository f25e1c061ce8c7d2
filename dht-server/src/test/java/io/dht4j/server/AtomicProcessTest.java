package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
        ServerProcess server = ServerProcess.start(
                directory,
                "--listen",
                "127.0.0.1:" + port,
                "--data",
                directory.resolve("data").toString(),
                "--bootstrap",
                "n1=127.0.0.1:" + port);
        server.awaitReady();
        return server;
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
}
