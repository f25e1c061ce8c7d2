package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenarios.Scenarios;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares reports of scenarios whose work is given. */
class BenchCompareTest {

    private static final List<Scenario> SCENARIOS = TestScenario.trial();

    @TempDir
    Path directory;

    @Test
    void compareNamesADirectoryWithoutAReport() {
        BenchCommand command = BenchCommand.run(
                SCENARIOS,
                "compare",
                directory.toString(),
                directory.resolve("none").toString());

        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains("is not the directory of a report: it has no results.json");
    }

    @Test
    void compareNamesAMissingReport() {
        String none = directory.resolve("none").toString();

        BenchCommand command = BenchCommand.run(SCENARIOS, "compare", none, directory.toString());

        assertThat(command.exitCode()).isEqualTo(2);
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
    void tooFewRepetitionsFailOnlyWithFailIfWorse() {
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
