package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenarios.Scenarios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BenchTest {

    private static final List<Scenario> SCENARIOS = TestScenario.of(lab -> {
        lab.plan(2);
        lab.step("first");
        lab.add(TestScenario.measurement("x", 1.0, 2.0, 3.0));
        lab.step("second");
        lab.add(TestScenario.measurement("x", 4.0, 5.0, 6.0));
        lab.note("a note");
        lab.link("a file", lab.directory().resolve("file.txt"));
        Files.createDirectory(lab.scratch().resolve("data"));
        Files.writeString(lab.scratch().resolve("data/file"), "data");
    });

    @TempDir
    Path directory;

    private Path out() {
        return directory.resolve("report");
    }

    private BenchCommand run(List<Scenario> scenarios, String... options) {
        List<String> args = new java.util.ArrayList<>(List.of("run", "trial", "--out", out().toString()));
        args.addAll(List.of(options));
        return BenchCommand.run(scenarios, args.toArray(String[]::new));
    }

    @Test
    void listTellsQuestionsAndParametersWithBothDefaults() {
        BenchCommand list = BenchCommand.run(SCENARIOS, "list");

        assertThat(list.exitCode()).isZero();
        assertThat(list.out())
                .contains("trial", "Does 100 % of it work?")
                .contains("--keys   how many keys, 1 to 1,000. Default: 100, quick: 10")
                .contains("--share  a share, 0 to 0.5. Default: 0.1");
    }

    @Test
    void listTellsOnceWhatMostScenariosShare() {
        BenchCommand list = BenchCommand.run(Scenarios.all(), "list");

        assertThat(list.exitCode()).isZero();
        assertThat(list.out()).containsOnlyOnce("--first-rate ").containsOnlyOnce("--collector ");
        int shared = list.out().indexOf("./dht bench run SCENARIO --help");
        assertThat(shared).isPositive();
        assertThat(list.out().indexOf("--first-rate ")).isGreaterThan(shared);
        assertThat(list.out()).containsOnlyOnce("--between-nodes ");
        assertThat(list.out().indexOf("--orderings ")).isBetween(0, shared);
        assertThat(list.out().lines().count()).isLessThan(155);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "list --help", "run --help", "run trial --help", "compare --help"})
    void everyCommandHasHelp(String args) {
        BenchCommand help = BenchCommand.run(SCENARIOS, args.split(" "));

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("Usage: dht bench");
        assertThat(help.err()).isEmpty();
    }

    @Test
    void helpOfAScenarioTellsItsParameters() {
        assertThat(BenchCommand.run(SCENARIOS, "run", "trial", "--help").out())
                .contains("Does 100 % of it work?", "--keys=VALUE", "how many keys, 1 to 1,000", "--quick", "--out");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "frobnicate|there is no command frobnicate; there are: help, list, run, compare",
                "run|which scenario? there are: trial",
                "run frob|there is no scenario 'frob'; there are: trial",
                "run --quick trial|the scenario comes first",
                "run trial --frob 1|there is no parameter --frob; there are: --quick, --out, --keys, --share, --kinds",
                "run trial --keys|--keys",
                "run trial extra|extra",
                "run trial --keys 0|--keys must be a whole number from 1 to 1,000, not '0'",
                "run trial --keys many|--keys must be a whole number from 1 to 1,000, not 'many'",
                "run trial --share 0.6|--share must be a number from 0 to 0.5, not '0.6'",
                "run trial --share NaN|--share must be a number from 0 to 0.5, not 'NaN'",
                "run trial --kinds a,c|--kinds must be one or more, with commas between, of a, b, not 'a,c'",
                "run trial --kinds a,a|--kinds must be a list that names each only once",
                "compare x|DIR_B",
                "compare a b --format xml|--format must be one of text, junit, markdown, json, not 'xml'",
                "compare a b --fail-if-worse -1|--fail-if-worse must be from 0 to 1000 percent, such as 5%, not '-1'",
                "compare a b --fail-if-worse 1001%|must be from 0 to 1000 percent, such as 5%, not '1001%'",
                "compare a b --fail-if-worse much|must be from 0 to 1000 percent, such as 5%, not 'much'",
                "compare a b --fail-if-worse|--fail-if-worse",
                "compare|DIR_A"
            })
    void wrongUsageIsExplainedInWords(String args, String explanation) {
        BenchCommand command = BenchCommand.run(SCENARIOS, args.split(" "));

        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.out()).isEmpty();
        assertThat(command.err())
                .contains(explanation)
                .contains("Try: ./dht bench")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run trial --keys 0|not '0'",
                "run clients --batching maybe|--batching must be one of on, off, not 'maybe'",
                "run clients --batching on,off|--batching must be one of on, off, not 'on,off'",
                "run durability --sizes 99|16384, 1048576, not '99'",
                "run clients --p99 1 --send-every 501|--send-every must be at most 500 microseconds, half of "
                        + "--p99, not '501'"
            })
    void aWrongValueIsExplainedWithoutTheListOfParameters(String args, String explanation) {
        List<Scenario> scenarios = new java.util.ArrayList<>(SCENARIOS);
        scenarios.addAll(Scenarios.all());

        BenchCommand command = BenchCommand.run(scenarios, args.split(" "));

        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains(explanation + "\n").doesNotContain("there are");
    }

    @Test
    void aRunLeavesAReportAndNoData() throws Exception {
        BenchCommand command = run(SCENARIOS, "--quick", "--keys", "5");

        assertThat(command.err()).contains("[1/2] first").containsPattern("\\[2/2] second, about \\d+ s left");
        assertThat(command.exitCode()).isZero();
        assertThat(command.out())
                .startsWith("things: x 5.00/s (4.00 to 6.00), with nothing to compare it with.\n")
                .contains("things, x: 5.00 operations/s (4.00 to 6.00)")
                .contains("report: " + out().resolve("report.html"));
        assertThat(out().toFile().list()).containsExactlyInAnyOrder("results.json", "report.md", "report.html");
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
    void theReportIsThereWhileTheRunGoesOn() {
        AtomicReference<Results> during = new AtomicReference<>();
        run(TestScenario.of(lab -> {
            lab.add(TestScenario.measurement("x", 1.0));
            during.set(ResultsFile.read(lab.directory()));
        }));

        assertThat(during.get().complete()).isFalse();
        assertThat(during.get().measurements()).hasSize(1);
    }

    @Test
    void aFailureEndsTheRunWithItsMessageAndKeepsWhatWasMeasured() throws Exception {
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
        assertThat(process.get().onExit()).succeedsWithin(java.time.Duration.ofSeconds(20));
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

    @Test
    void compareTellsWhatIsNoReport() {
        BenchCommand command = BenchCommand.run(
                SCENARIOS,
                "compare",
                directory.toString(),
                directory.resolve("none").toString());

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err()).contains("is not the directory of a report: it has no results.json");
    }

    @Test
    void compareTellsWhatDoesNotExist() {
        String none = directory.resolve("none").toString();

        BenchCommand command = BenchCommand.run(SCENARIOS, "compare", none, directory.toString());

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err()).isEqualTo("dht bench compare: " + none + " does not exist\n");
    }

    @Test
    void compareNeedsAMeasurementInCommon() {
        String a = directory.resolve("a").toString();
        String b = directory.resolve("b").toString();
        BenchCommand.run(values(5.0, 6.0, 7.0, 8.0), "run", "trial", "--out", a);
        BenchCommand.run(
                TestScenario.of(lab -> lab.add(TestScenario.measurement("y", 1.0))), "run", "trial", "--out", b);

        for (String[] args :
                List.of(new String[] {"compare", a, b}, new String[] {"compare", "--fail-if-worse", "5%", a, b})) {
            BenchCommand command = BenchCommand.run(SCENARIOS, args);

            assertThat(command.exitCode()).isEqualTo(2);
            assertThat(command.out()).isEmpty();
            assertThat(command.err())
                    .contains("the reports have no measurement in common: both are of the scenario trial");
        }
    }

    @Test
    void compareNamesTheScenariosOfReportsWithNothingInCommon() {
        String a = directory.resolve("a").toString();
        String b = directory.resolve("b").toString();
        BenchCommand.run(values(5.0, 6.0), "run", "trial", "--out", a);
        BenchCommand hiccups = BenchCommand.run(
                Scenarios.all(), "run", "hiccups", "--quick", "--seconds", "0.01", "--repetitions", "1", "--out", b);
        assertThat(hiccups.exitCode()).as(hiccups.err()).isZero();

        BenchCommand command = BenchCommand.run(SCENARIOS, "compare", a, b);

        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err())
                .contains(
                        "the reports have no measurement in common: " + "they are of the scenarios trial and hiccups");
    }

    @Test
    void compareSaysIfNothingCouldBeJudgedAndFailsOnlyIfAskedTo() {
        String a = directory.resolve("a").toString();
        String b = directory.resolve("b").toString();
        BenchCommand.run(values(5.0, 6.0, 7.0), "run", "trial", "--out", a);
        BenchCommand.run(values(1.0, 2.0, 3.0), "run", "trial", "--out", b);

        BenchCommand asked = BenchCommand.run(SCENARIOS, "compare", "--fail-if-worse", "5%", a, b);
        assertThat(asked.exitCode()).isEqualTo(3);
        assertThat(asked.out())
                .contains("cannot tell: too few repetitions (3 and 3)")
                .containsOnlyOnce("--repetitions 4");
        assertThat(asked.err())
                .isEqualTo("dht bench compare: nothing could be judged: too few repetitions; use --repetitions 4 in "
                        + "both runs\n");
        assertThat(BenchCommand.run(SCENARIOS, "compare", a, b).exitCode()).isZero();
    }

    @Test
    void compareFailsForSomethingWorseOnlyIfAskedTo() {
        String a = directory.resolve("a").toString();
        String b = directory.resolve("b").toString();
        BenchCommand.run(values(5.0, 6.0, 7.0, 8.0), "run", "trial", "--out", a);
        BenchCommand.run(values(1.0, 2.0, 3.0, 4.0), "run", "trial", "--out", b);

        BenchCommand plain = BenchCommand.run(SCENARIOS, "compare", a, b);
        assertThat(plain.exitCode()).isZero();
        assertThat(plain.out())
                .contains("things, x: 6.50 (5.00 to 8.00) -> 2.50 (1.00 to 4.00) operations/s, -61.5 %: WORSE");
        BenchCommand asked = BenchCommand.run(SCENARIOS, "compare", "--fail-if-worse", "5%", a, b);
        assertThat(asked.exitCode()).isEqualTo(1);
        assertThat(asked.err())
                .isEqualTo("dht bench compare: worse by more than 5 % and the noise: things, x: 6.50 (5.00 to 8.00) -> "
                        + "2.50 (1.00 to 4.00) operations/s, -61.5 % (p = 0.029)\n");
        BenchCommand tolerant = BenchCommand.run(SCENARIOS, "compare", "--fail-if-worse", "62", a, b);
        assertThat(tolerant.exitCode()).isZero();
        assertThat(tolerant.err()).isEmpty();
        BenchCommand better = BenchCommand.run(SCENARIOS, "compare", "--fail-if-worse", "0%", b, a);
        assertThat(better.exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "junit, <testsuites>",
        "markdown, | group | variant | figure | A | B | change | verdict |",
        "json, '\"outcome\" : \"worse\"'",
        "text, WORSE beyond noise"
    })
    void compareWritesEachFormatAndStillFails(String format, String content) {
        String a = directory.resolve("a").toString();
        String b = directory.resolve("b").toString();
        BenchCommand.run(values(5.0, 6.0, 7.0, 8.0), "run", "trial", "--out", a);
        BenchCommand.run(values(1.0, 2.0, 3.0, 4.0), "run", "trial", "--out", b);

        BenchCommand command =
                BenchCommand.run(SCENARIOS, "compare", a, b, "--format", format, "--fail-if-worse", "5%");

        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.out()).contains(content);
    }

    private static List<Scenario> values(Double... values) {
        return TestScenario.of(lab -> lab.add(TestScenario.measurement("x", values)));
    }
}
