package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenarios.Scenarios;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Usage: lists, help, and the refusal of a wrong command line. */
class BenchTest {

    private static final List<Scenario> SCENARIOS = TestScenario.trial();

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
        assertThat(list.out().lines().count()).isLessThan(180);
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
        List<Scenario> scenarios = new ArrayList<>(SCENARIOS);
        scenarios.addAll(Scenarios.all());

        BenchCommand command = BenchCommand.run(scenarios, args.split(" "));

        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains(explanation + "\n").doesNotContain("there are");
    }
}
