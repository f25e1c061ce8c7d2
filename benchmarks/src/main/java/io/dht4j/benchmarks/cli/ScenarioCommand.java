package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.server.cli.console.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs one scenario. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
final class ScenarioCommand implements Callable<Integer> {

    /** The default directory of reports, ignored by version control. */
    private static final Path REPORTS = Path.of("bench-results");

    private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    private final Console console;
    private final Scenario scenario;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(names = "--quick", description = "The short form, meant to answer within two minutes.")
    private boolean quick;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Directory of the report; new or empty. It also holds the data of the run. Default: "
                    + "bench-results/SCENARIO-TIMESTAMP.")
    private Optional<Path> out = Optional.empty();

    private ScenarioCommand(Console console, Scenario scenario) {
        this.console = console;
        this.scenario = scenario;
    }

    /** Returns the command with an option for each parameter. */
    static CommandLine commandLine(Console console, Scenario scenario) {
        CommandLine commandLine = new CommandLine(new ScenarioCommand(console, scenario));
        CommandSpec spec = commandLine.getCommandSpec();
        spec.usageMessage().header(text(scenario.question()) + "%n");
        for (Parameter parameter : scenario.parameters()) {
            spec.addOption(OptionSpec.builder("--" + parameter.name())
                    .type(String.class)
                    .paramLabel("VALUE")
                    .description(text(parameter.meaning() + ". " + ListCommand.defaults(parameter) + "."))
                    .build());
        }
        return commandLine;
    }

    @Override
    public Integer call() throws IOException {
        Map<String, String> given = new HashMap<>();
        for (Parameter parameter : scenario.parameters()) {
            String value = spec.findOption("--" + parameter.name()).getValue();
            if (value != null) {
                given.put(parameter.name(), value);
            }
        }
        CommandLineSettings settings = new CommandLineSettings(scenario, quick, given);
        try {
            scenario.check(settings);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        scenario.warnings(settings).forEach(line -> console.report("dht bench: warning: " + line));
        Path directory = out.orElseGet(() ->
                REPORTS.resolve(scenario.name() + "-" + TIMESTAMP.format(LocalDateTime.now(ZoneId.systemDefault()))));
        if (!isFree(directory)) {
            throw new ParameterException(
                    spec.commandLine(), directory + " is not empty; name another directory with --out");
        }
        return new ScenarioRun(console, scenario, settings, directory).run();
    }

    private static boolean isFree(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return true;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    /** Returns the possible values, in words. */
    String known() {
        return RunCommand.known(scenario);
    }

    /** Percent signs begin a format for picocli. */
    private static String text(String plain) {
        return plain.replace("%", "%%");
    }
}
