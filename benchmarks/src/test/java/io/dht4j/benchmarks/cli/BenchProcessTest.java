package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.dht4j.benchmarks.process.load.LoadMain;
import io.dht4j.benchmarks.process.node.NodeMain;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.server.cli.console.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends signals to a process of its own. */
@Tag("full")
class BenchProcessTest {

    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int SIGINT = 2;

    @TempDir
    Path directory;

    private Process process;

    /** Measures something, starts a process, and waits for ever. */
    static final class Endless {
        public static void main(String[] args) {
            System.exit(Bench.execute(
                    Console.ofProcess(),
                    TestScenario.of(lab -> {
                        lab.plan(2);
                        lab.step("measuring");
                        lab.add(TestScenario.measurement("x", 1.0));
                        new ProcessBuilder("sleep", "600").start();
                        lab.step("waiting");
                        Thread.sleep(600_000);
                    }),
                    args));
        }
    }

    /** Measures code that ends the process as if all was well. */
    static final class Exiting {
        public static void main(String[] args) {
            Bench.executeAndExit(Console.ofProcess(), TestScenario.of(lab -> System.exit(0)), args);
        }
    }

    @AfterEach
    void end() throws Exception {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void aSignalEndsTheRunWithAReportAndNoProcessLeft(String signal) throws Exception {
        assumeHeard(signal);
        Path out = directory.resolve("report");
        Path err = directory.resolve("err");
        process = start(Endless.class, err, "run", "trial", "--out", out.toString());
        Awaitility.await().atMost(LONG).until(() -> Files.readString(err).contains("[2/2] waiting"));
        Set<ProcessHandle> children = process.descendants().collect(Collectors.toSet());
        assertThat(children).isNotEmpty();

        signal(signal, process);

        assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(err)).contains("dht bench: stopped").doesNotContain("\tat ");
        Results results = ResultsFile.read(out);
        assertThat(results.complete()).isFalse();
        assertThat(results.measurements()).hasSize(1);
        assertThat(results.notes()).containsExactly("The run was stopped before its end.");
        assertThat(out.resolve("scratch")).doesNotExist();
        Awaitility.await().atMost(LONG).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void measuredCodeThatEndsTheProcessFailsTheRunAndIsNamed() throws Exception {
        Path err = directory.resolve("err");
        String out = directory.resolve("report").toString();
        process = start(Exiting.class, err, "run", "trial", "--out", out);

        assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(err))
                .contains("Exiting.lambda$main$0 called System.exit")
                .doesNotContain("\tat ");
    }

    @Test
    void aKillLeavesTheReportOfTheLastMeasurement() throws Exception {
        Path out = directory.resolve("report");
        Path err = directory.resolve("err");
        process = start(Endless.class, err, "run", "trial", "--out", out.toString());
        Awaitility.await().atMost(LONG).until(() -> Files.readString(err).contains("[2/2] waiting"));
        Set<ProcessHandle> children = process.descendants().collect(Collectors.toSet());

        process.destroyForcibly().waitFor();
        children.forEach(ProcessHandle::destroyForcibly);

        assertThat(ResultsFile.read(out).measurements()).hasSize(1);
    }

    /** Starts two nodes and a load that fills keys for longer than the test lasts. */
    private Path startedScenario() throws Exception {
        Path err = directory.resolve("err");
        process = start(
                Bench.class,
                err,
                "run",
                "clients",
                "--quick",
                "--clients",
                "vertx",
                "--keys",
                "2000000",
                "--value-bytes",
                "100",
                "--heap",
                "256",
                "--out",
                directory.resolve("report").toString());
        Awaitility.await().atMost(LONG).until(() -> !running(LoadMain.class).isEmpty());
        return err;
    }

    private List<ProcessHandle> running(Class<?> main) {
        return process.descendants()
                .filter(child -> commandLine(child).contains(main.getName()))
                .toList();
    }

    /** Returns the whole command line; that of {@code ProcessHandle} ends after a page. */
    private static String commandLine(ProcessHandle child) {
        try {
            return Files.readString(Path.of("/proc/" + child.pid() + "/cmdline"));
        } catch (IOException e) {
            return ""; // It has ended.
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aNodeThatDiesEndsTheRunAndIsNamed() throws Exception {
        Path err = startedScenario();
        Set<ProcessHandle> children = process.descendants().collect(Collectors.toSet());

        running(NodeMain.class).get(0).destroyForcibly();

        assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(err))
                .containsPattern("n[12] has ended with exit code 137 \\(signal 9\\); it")
                .doesNotContain("\tat ");
        assertThat(ResultsFile.read(directory.resolve("report")).complete()).isFalse();
        Awaitility.await().atMost(LONG).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aSignalLeavesNeitherNodesNorLoadNorData() throws Exception {
        assumeHeard("INT");
        Path err = startedScenario();
        Set<ProcessHandle> children = process.descendants().collect(Collectors.toSet());
        assertThat(running(NodeMain.class)).hasSize(2);

        signal("INT", process);

        assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(err)).contains("dht bench: stopped").doesNotContain("\tat ");
        assertThat(ResultsFile.read(directory.resolve("report")).complete()).isFalse();
        assertThat(directory.resolve("report").resolve("scratch")).doesNotExist();
        Awaitility.await().atMost(LONG).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    private static Process start(Class<?> main, Path err, String... args) throws Exception {
        Files.createFile(err);
        List<String> command = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectError(err.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Skips the test if this process ignores SIGINT, as a shell's background jobs and their children do. */
    private static void assumeHeard(String signal) throws IOException {
        Path status = Path.of("/proc/self/status");
        if (signal.equals("INT") && Files.exists(status)) {
            long ignored = Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("SigIgn:"))
                    .mapToLong(line -> Long.parseUnsignedLong(
                            line.substring("SigIgn:".length()).strip(), 16))
                    .findFirst()
                    .orElse(0);
            assumeThat(ignored & 1L << (SIGINT - 1))
                    .as("SIGINT is ignored by whoever started these tests")
                    .isZero();
        }
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid())
                        .start()
                        .waitFor())
                .isZero();
    }
}
