package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.examples.cli.Console;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Lists the scenarios. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        header = "Lists the scenarios with their questions and parameters.%n")
final class ListCommand implements Callable<Integer> {

    private final Console console;
    private final List<Scenario> scenarios;

    ListCommand(Console console, List<Scenario> scenarios) {
        this.console = console;
        this.scenarios = scenarios;
    }

    @Override
    public Integer call() {
        for (Scenario scenario : scenarios) {
            console.out().println(scenario.name());
            console.out().println("    " + scenario.question());
            int width = scenario.parameters().stream()
                    .mapToInt(parameter -> parameter.name().length())
                    .max()
                    .orElse(0);
            for (Parameter parameter : scenario.parameters()) {
                console.out()
                        .printf(
                                "    --%-" + width + "s  %s. %s%n",
                                parameter.name(),
                                parameter.meaning(),
                                defaults(parameter));
            }
            console.out().println();
        }
        return 0;
    }

    /** What a parameter is if it is not given. */
    static String defaults(Parameter parameter) {
        return parameter.quick().equals(parameter.full())
                ? "Default: " + parameter.full()
                : "Default: " + parameter.full() + ", quick: " + parameter.quick();
    }
}
