package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a scenario: each is a command below this one, with its parameters as options. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "SCENARIO",
        header = "Runs a scenario and writes a report.%n",
        description = {
            "%nEach takes @|bold --quick|@, for a short form that is meant to answer within two minutes, and "
                    + "@|bold --out DIR|@, for the report's directory.",
            "Ctrl-C stops it; the report has the measurements until then.",
            "%nParameters of a scenario:",
            "  @|bold ./dht bench run SCENARIO --help|@%n"
        },
        commandListHeading = "%nScenarios:%n")
final class RunCommand implements Callable<Integer> {

    private final List<Scenario> scenarios;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    private RunCommand(List<Scenario> scenarios) {
        this.scenarios = scenarios;
    }

    /** Returns the command with a subcommand for each scenario. */
    static CommandLine commandLine(Console console, List<Scenario> scenarios) {
        CommandLine commandLine = new CommandLine(new RunCommand(scenarios));
        for (Scenario scenario : scenarios) {
            commandLine.addSubcommand(scenario.name(), ScenarioCommand.commandLine(console, scenario));
        }
        return commandLine;
    }

    /** Describes wrong usage; for an unknown name, with the known ones. */
    static String explain(ParameterException e) {
        String unknown = Messages.unknown(e);
        Object command = e.getCommandLine().getCommandSpec().userObject();
        if (!unknown.isEmpty() && command instanceof RunCommand run) {
            return unknown.startsWith("-")
                    ? "the scenario comes first: run SCENARIO " + unknown + "; " + run.known()
                    : "there is no scenario '" + unknown + "'; " + run.known();
        }
        if (!unknown.isEmpty() && command instanceof Bench) {
            return Messages.noCommand(unknown, e.getCommandLine());
        }
        if (unknown.startsWith("-") && command instanceof ScenarioCommand scenario) {
            return "there is no parameter " + unknown + elsewhere(unknown, e.getCommandLine()) + "; "
                    + scenario.known();
        }
        return Messages.badNumber(e).orElse(String.valueOf(e.getMessage()));
    }

    /** Names the other scenarios that have a parameter. */
    private static String elsewhere(String unknown, CommandLine command) {
        if (!(command.getParent().getCommandSpec().userObject() instanceof RunCommand run)) {
            return "";
        }
        // A value may follow after an equals sign.
        String name = unknown.split("=", 2)[0];
        String others = run.scenarios.stream()
                .filter(scenario ->
                        scenario.parameters().stream().anyMatch(parameter -> name.equals("--" + parameter.name())))
                .map(Scenario::name)
                .collect(Collectors.joining(", "));
        return others.isEmpty() ? "" : " of " + command.getCommandName() + ", but of " + others;
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "which scenario? " + known());
    }

    private String known() {
        return "there are: " + scenarios.stream().map(Scenario::name).collect(Collectors.joining(", "));
    }

    /** Returns the scenario's parameters. */
    static String known(Scenario scenario) {
        return "there are: --quick, --out"
                + scenario.parameters().stream()
                        .map(Parameter::name)
                        .map(name -> ", --" + name)
                        .collect(Collectors.joining());
    }
}
