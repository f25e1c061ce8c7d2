package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs scenarios whose work is given. */
class BenchRunTest {

    private static final List<Scenario> SCENARIOS = TestScenario.trial();

    @TempDir
    Path directory;

    private Path out() {
        return directory.resolve("report");
    }

    private BenchCommand run(List<Scenario> scenarios, String... options) {
        List<String> args = new ArrayList<>(List.of("run", "trial", "--out", out().toString()));
        args.addAll(List.of(options));
        return BenchCommand.run(scenarios, args.toArray(String[]::new));
    }

    @Test
    void aRunLeavesAReportAndNoData() throws Exception {
        BenchCommand command = run(SCENARIOS, "--quick", "--keys", "5");

        assertThat(command.err()).contains("[1/2] first").containsPattern("\\[2/2] second, about \\d+ s left");
        assertThat(command.exitCode()).isZero();
        assertThat(command.out())
                .startsWith("things: x 5.00/s (4.00 to 6.00).\n")
                .contains("things, x: 5.00 operations/s (4.00 to 6.00)")
                .contains("report: " + out().resolve("report.html"));
        assertThat(out().toFile().list())
                .containsExactlyInAnyOrder("results.json", "report.md", "report.html", "chart.svg");
        Results results = ResultsFile.read(out());
        assertThat(results.complete()).isTrue();
        assertThat(results.quick()).isTrue();
        assertThat(results.command())
                .containsExactly(
                        "./dht", "bench", "run", "trial", "--quick", "--keys", "5", "--share", "0.1", "--kinds", "a");
        assertThat(results.parameters()).isEqualTo(Map.of("keys", "5", "share", "0.1", "kinds", "a"));
        assertThat(results.measurements()).containsExactly(TestScenario.measurement("x", 4.0, 5.0, 6.0));
        assertThat(results.notes()).containsExactly("a note");
        assertThat(results.links().get(0).path()).isEqualTo("file.txt");
        assertThat(results.machine().processors()).isPositive();
        assertThat(results.machine().memoryBytes()).isPositive();
    }

    @Test
    void reportExistsDuringTheRun() {
        AtomicReference<Results> during = new AtomicReference<>();
        run(TestScenario.of(lab -> {
            lab.add(TestScenario.measurement("x", 1.0));
            during.set(ResultsFile.read(lab.directory()));
        }));

        assertThat(during.get().complete()).isFalse();
        assertThat(during.get().measurements()).hasSize(1);
    }

    @Test
    void failureEndsTheRunAndKeepsItsMeasurements() throws Exception {
        BenchCommand command = run(TestScenario.of(lab -> {
            lab.add(TestScenario.measurement("x", 1.0));
            throw new IOException("node n2 has died; its last lines: out of luck");
        }));

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err())
                .contains("dht bench: trial ended early: node n2 has died; its last lines: out of luck")
                .doesNotContain("\tat ");
        Results results = ResultsFile.read(out());
        assertThat(results.complete()).isFalse();
        assertThat(results.measurements()).hasSize(1);
        assertThat(results.notes())
                .containsExactly("The run ended early: node n2 has died; its last lines: out of luck");
        assertThat(Files.readString(out().resolve("failure.txt"))).contains("IOException", "\tat ");
        assertThat(out().resolve("scratch")).doesNotExist();
    }

    @Test
    void anErrorKeepsWhatWasMeasuredToo() throws Exception {
        BenchCommand command = run(TestScenario.of(lab -> {
            lab.add(TestScenario.measurement("x", 1.0));
            throw new OutOfMemoryError("Java heap space");
        }));

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err()).contains("Java heap space").doesNotContain("\tat ");
        assertThat(ResultsFile.read(out()).measurements()).hasSize(1);
    }

    @Test
    void anInterruptLeavesAReport() throws Exception {
        BenchCommand command = run(TestScenario.of(lab -> {
            lab.add(TestScenario.measurement("x", 1.0));
            Thread.currentThread().interrupt();
            lab.add(TestScenario.measurement("y", 1.0));
            throw new InterruptedException();
        }));

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err()).contains("dht bench: stopped");
        assertThat(ResultsFile.read(out()).notes()).containsExactly("The run was stopped before its end.");
        assertThat(ResultsFile.read(out()).measurements()).hasSize(2);
    }

    @Test
    void aProcessThatTheScenarioLeavesBehindIsEnded() {
        AtomicReference<Process> process = new AtomicReference<>();
        BenchCommand command = run(TestScenario.of(lab -> process.set(new ProcessBuilder("sleep", "600").start())));

        assertThat(command.err()).contains("ending 1 processes that the scenario left behind");
        assertThat(process.get().onExit()).succeedsWithin(Duration.ofSeconds(20));
    }

    @Test
    void tooLittleDiskSpaceIsNoticedBeforeAnythingStarts() {
        BenchCommand command = run(needing(new Needs(1L << 60, 0)));

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err())
                .contains("trial needs 1,099,511,627,840 MiB of disk space")
                .contains("--out");
        assertThat(out()).doesNotExist();
    }

    @Test
    void tooLittleMemoryIsNoticedBeforeAnythingStarts() {
        BenchCommand command = run(needing(new Needs(0, 1L << 60)));

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err())
                .contains("trial needs 1,099,511,627,776 MiB of memory")
                .contains("--heap");
        assertThat(out()).doesNotExist();
    }

    private static List<Scenario> needing(Needs needs) {
        return List.of(new TestScenario(
                lab -> {
                    throw new AssertionError("started");
                },
                needs));
    }

    @Test
    void aDirectoryWithSomethingInItIsRefused() throws Exception {
        Files.createDirectories(out());
        Files.writeString(out().resolve("precious"), "x");

        BenchCommand command = run(SCENARIOS);

        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains("is not empty; name another directory with --out");
        assertThat(out().toFile().list()).containsExactly("precious");
    }

    @Test
    void aFileInPlaceOfTheDirectoryIsRefused() throws Exception {
        Files.createDirectories(out().getParent());
        Files.writeString(out(), "precious");

        BenchCommand command = run(SCENARIOS);

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err())
                .contains("--out must be a directory for the report, not '" + out() + "': it is a file");
        assertThat(out()).hasContent("precious");
    }

    @Test
    void aLinkToElsewhereIsRefused() {
        BenchCommand command = run(TestScenario.of(lab -> lab.link("secret", Path.of("/etc/passwd"))));

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err()).contains("is not in the report's directory");
    }
}
