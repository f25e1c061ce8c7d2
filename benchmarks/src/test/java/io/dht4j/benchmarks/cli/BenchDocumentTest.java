package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenarios.Scenarios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the reference of the scenarios with what their {@code --help} shows. */
class BenchDocumentTest {

    /** The options of the commands themselves, of {@code compare}, and of the server. */
    private static final Set<String> OTHERS = Set.of("out", "quick", "format", "fail-if-worse", "bootstrap", "peers");

    private static final Pattern OPTION = Pattern.compile("`--([a-z][a-z0-9-]*)[ `]");

    /** An option with a default, as in {@code `--keys` 20000 (`500`)}. */
    private static final Pattern DEFAULT =
            Pattern.compile("`--([a-z0-9-]+)` (`[^`]+`|[0-9.]+)(?: \\((`[^`]+`|[0-9.]+)\\))?");

    private static String document;

    @BeforeAll
    static void read() throws IOException {
        document = Files.readString(Path.of("..", "docs", "reference", "bench.md"));
    }

    /** Returns the rows of the table of scenarios by the scenario's name: question, variants, parameters. */
    private static Map<String, List<String>> rows() {
        Map<String, List<String>> rows = new TreeMap<>();
        Matcher row = Pattern.compile("(?m)^\\| `([a-z]+)` \\| ([^|]*\\?) \\| ([^|]*) \\| ([^|]*) \\|$")
                .matcher(document);
        while (row.find()) {
            rows.put(row.group(1), List.of(row.group(2), row.group(3), row.group(4)));
        }
        return rows;
    }

    private static String plain(String code) {
        return code.replace("`", "");
    }

    @Test
    void eachScenarioHasARowWithItsQuestion() {
        Map<String, String> questions =
                Scenarios.all().stream().collect(Collectors.toMap(Scenario::name, Scenario::question));
        Map<String, String> documented = new TreeMap<>();
        rows().forEach((name, row) -> documented.put(name, row.get(0)));
        assertThat(documented).containsExactlyInAnyOrderEntriesOf(questions);
    }

    @Test
    void theDefaultsInARowAreThoseOfTheScenario() {
        int compared = 0;
        for (Scenario scenario : Scenarios.all()) {
            Map<String, Parameter> parameters =
                    scenario.parameters().stream().collect(Collectors.toMap(Parameter::name, Function.identity()));
            Matcher own = DEFAULT.matcher(rows().get(scenario.name()).get(2));
            while (own.find()) {
                String where = "--" + own.group(1) + " of " + scenario.name();
                Parameter parameter = parameters.get(own.group(1));
                assertThat(parameter).as(where).isNotNull();
                String full = plain(own.group(2));
                assertThat(full).as(where).isEqualTo(parameter.full());
                assertThat(own.group(3) == null ? full : plain(own.group(3)))
                        .as("quick form of " + where)
                        .isEqualTo(parameter.quick());
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(40);
    }

    @Test
    void eachParameterIsDocumentedAndNoOther() {
        Set<String> known = new TreeSet<>(OTHERS);
        for (Scenario scenario : Scenarios.all()) {
            scenario.parameters().forEach(parameter -> known.add(parameter.name()));
        }
        Set<String> documented = new TreeSet<>();
        Matcher option = OPTION.matcher(document);
        while (option.find()) {
            documented.add(option.group(1));
        }
        assertThat(documented).isEqualTo(known);
    }
}
