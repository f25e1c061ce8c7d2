package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.report.Results;
import io.dht4j.benchmarks.report.ResultsFile;
import io.dht4j.examples.cli.Console;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals to a process of its own. */
class BenchProcessTest {

    private static final Duration LONG = Duration.ofSeconds(60);

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

    @AfterEach
    void end() throws Exception {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void a_signal_ends_the_run_with_a_report_and_no_process_left(String signal) throws Exception {
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
    void a_kill_leaves_the_report_of_the_last_measurement() throws Exception {
        Path out = directory.resolve("report");
        Path err = directory.resolve("err");
        process = start(Endless.class, err, "run", "trial", "--out", out.toString());
        Awaitility.await().atMost(LONG).until(() -> Files.readString(err).contains("[2/2] waiting"));
        Set<ProcessHandle> children = process.descendants().collect(Collectors.toSet());

        process.destroyForcibly().waitFor();
        children.forEach(ProcessHandle::destroyForcibly);

        assertThat(ResultsFile.read(out).measurements()).hasSize(1);
    }

    private static Process start(Class<?> main, Path err, String... args) throws Exception {
        Files.createFile(err);
        java.util.List<String> command = new java.util.ArrayList<>(java.util.List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(java.util.List.of(args));
        return new ProcessBuilder(command)
                .redirectError(err.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid())
                        .start()
                        .waitFor())
                .isZero();
    }
}
