package io.dht4j.benchmarks.cli;

import io.dht4j.PrintableText;
import io.dht4j.benchmarks.results.ResultsException;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenarios.Scenarios;
import io.dht4j.server.cli.Suggestions;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.HelpAtSpaces;
import io.dht4j.server.cli.console.Messages;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./dht bench}. */
@Command(
        name = "dht bench",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        header = "Runs experiments on this machine.%n",
        description = {
            "%nThe scenarios:",
            "  @|bold ./dht bench list|@",
            "A first run, of seconds:",
            "  @|bold ./dht bench run hiccups --quick|@",
            "Options of a command, and parameters of a scenario:",
            "  @|bold ./dht bench COMMAND --help|@",
            "  @|bold ./dht bench run SCENARIO --help|@%n"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:failed or stopped, the report has the measurements until then; compare --fail-if-worse: something is "
                    + "worse",
            "2:wrong usage; compare: a report cannot be read",
            "3:compare --fail-if-worse: too few repetitions to judge",
            "141:standard output was closed by its reader"
        },
        subcommands = HelpCommand.class)
public final class Bench implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    private Bench() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args the command and its arguments
     */
    public static void main(String[] args) {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        // Numbers have the English form of the text.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        executeAndExit(Console.ofProcess(), Scenarios.all(), args);
    }

    /** Runs a command and ends the process with its exit code; with 1 if measured code ends it before. */
    static void executeAndExit(Console console, List<Scenario> scenarios, String... args) {
        ForeignExit watch = ForeignExit.watch(console);
        int code = execute(console, scenarios, args);
        watch.over();
        System.exit(code);
    }

    /**
     * Runs a command.
     *
     * @return the exit code
     */
    static int execute(Console console, List<Scenario> scenarios, String... args) {
        return console.execute(commandLine(console, scenarios), args);
    }

    private static CommandLine commandLine(Console console, List<Scenario> scenarios) {
        CommandLine commandLine = new CommandLine(new Bench())
                .addSubcommand(new ListCommand(console, scenarios))
                .addSubcommand(RunCommand.commandLine(console, scenarios))
                .addSubcommand(new CompareCommand(console));
        return commandLine
                .setColorScheme(CommandLine.Help.defaultColorScheme(console.outIsTerminal() ? Ansi.AUTO : Ansi.OFF))
                .setHelpFactory(HelpAtSpaces::new)
                .setUsageHelpAutoWidth(console.outIsTerminal())
                .setAbbreviatedOptionsAllowed(false)
                // An argument that begins with @ is an ordinary argument.
                .setExpandAtFiles(false)
                .setParameterExceptionHandler((e, args) -> wrongUsage(e))
                .setExecutionExceptionHandler((e, command, result) -> failed(command, e));
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }

    private static int wrongUsage(ParameterException e) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(PrintableText.of(name + ": " + RunCommand.explain(e)));
        Suggestions.of(e, List.of()).ifPresent(command.getErr()::println);
        command.getErr().println("Try: ./" + name + " --help");
        return CommandLine.ExitCode.USAGE;
    }

    private static int failed(CommandLine command, Exception e) {
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof ResultsException) {
            err.println(PrintableText.of(name + ": " + e.getMessage()));
        } else if (e instanceof IOException io) {
            err.println(name + ": " + Messages.of(io));
        } else {
            err.println(name + ": unexpected failure, which is a fault of this program:");
            e.printStackTrace(err);
        }
        return CommandLine.ExitCode.SOFTWARE;
    }
}
