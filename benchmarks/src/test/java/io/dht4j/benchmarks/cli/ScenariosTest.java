package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenarios.Scenarios;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScenariosTest {

    static Stream<Scenario> all() {
        return Scenarios.all().stream();
    }

    @Test
    void namesAreWordsAndEachIsThereOnce() {
        assertThat(all().map(Scenario::name)).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z][a-z0-9]*"));
    }

    @ParameterizedTest
    @MethodSource("all")
    void parametersHaveNamesOfTheirOwn(Scenario scenario) {
        assertThat(scenario.parameters().stream().map(Parameter::name))
                .doesNotHaveDuplicates()
                .doesNotContain("quick", "out", "help", "version")
                .allMatch(name -> name.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*"));
        assertThat(scenario.question()).endsWith("?");
    }

    @ParameterizedTest
    @MethodSource("all")
    void theDefaultsAreAllowedAndEveryParameterIsChecked(Scenario scenario) {
        for (boolean quick : new boolean[] {true, false}) {
            Recorder settings = new Recorder(new CommandLineSettings(scenario, quick, Map.of()), new HashSet<>());

            scenario.check(settings);

            assertThat(settings.read())
                    .containsExactlyInAnyOrderElementsOf(
                            scenario.parameters().stream().map(Parameter::name).toList());
            assertThat(scenario.needs(settings).diskBytes()).isPositive();
        }
    }

    @Test
    void aRunNeedsMemoryForTheHeapsOfAllItsProcesses() {
        Scenario clients = Scenarios.all().stream()
                .filter(scenario -> scenario.name().equals("clients"))
                .findFirst()
                .orElseThrow();
        long memory = clients.needs(new CommandLineSettings(clients, false, Map.of("heap", "2000")))
                .memoryBytes();

        // Two nodes and the load.
        assertThat(memory >> 20).isBetween(2 * 2000L + 512, 2 * 2000L + 1024);
    }

    /** Settings that record which ones were read. */
    private record Recorder(Settings settings, Set<String> read) implements Settings {
        @Override
        public boolean quick() {
            return settings.quick();
        }

        @Override
        public boolean isDefault(String parameter) {
            return settings.isDefault(parameter);
        }

        @Override
        public String text(String parameter) {
            read.add(parameter);
            return settings.text(parameter);
        }
    }
}
