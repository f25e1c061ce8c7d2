package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.server.cli.console.Console;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
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
        List<Parameter> all = scenarios.stream()
                .flatMap(scenario -> scenario.parameters().stream())
                .toList();
        List<Parameter> shared = new ArrayList<>();
        for (Parameter parameter : all) {
            if (isShared(parameter, all) && !isIn(shared, parameter)) {
                shared.add(parameter);
            }
        }
        List<Parameter> described = new ArrayList<>();
        console.out().println("The scenarios, each with its question and its own parameters.");
        for (Scenario scenario : scenarios) {
            console.out().println();
            console.out().println(scenario.name());
            console.out().println("    " + scenario.question());
            List<Parameter> own = scenario.parameters().stream()
                    .filter(parameter -> !isIn(shared, parameter))
                    .toList();
            List<Parameter> repeated = own.stream().filter(described::contains).toList();
            print(
                    own.stream()
                            .filter(parameter -> !described.contains(parameter))
                            .toList(),
                    parameter -> ". " + defaults(parameter));
            if (!repeated.isEmpty()) {
                console.out()
                        .println("    as above: "
                                + repeated.stream()
                                        .map(parameter -> "--" + parameter.name())
                                        .collect(Collectors.joining(", ")));
            }
            described.addAll(own);
        }
        if (!shared.isEmpty()) {
            console.out().println();
            console.out().println("Most scenarios share these. This shows all parameters of one, with their defaults:");
            console.out().println("    ./dht bench run SCENARIO --help");
            print(shared, parameter -> "");
        }
        return 0;
    }

    /** Returns whether at least half of the scenarios have it, with any defaults. */
    private boolean isShared(Parameter parameter, List<Parameter> all) {
        long having = all.stream().filter(other -> isSame(parameter, other)).count();
        return having > 1 && 2 * having >= scenarios.size();
    }

    private static boolean isIn(List<Parameter> parameters, Parameter parameter) {
        return parameters.stream().anyMatch(other -> isSame(parameter, other));
    }

    private static boolean isSame(Parameter a, Parameter b) {
        return a.name().equals(b.name()) && a.meaning().equals(b.meaning());
    }

    private void print(List<Parameter> parameters, Function<Parameter, String> end) {
        int width = parameters.stream()
                .mapToInt(parameter -> parameter.name().length())
                .max()
                .orElse(0);
        for (Parameter parameter : parameters) {
            String name = parameter.name() + " ".repeat(width - parameter.name().length());
            console.out().println("    --" + name + "  " + parameter.meaning() + end.apply(parameter));
        }
    }

    /** Returns the description of a parameter's default. */
    static String defaults(Parameter parameter) {
        return parameter.quick().equals(parameter.full())
                ? "Default: " + parameter.full()
                : "Default: " + parameter.full() + ", quick: " + parameter.quick();
    }
}
