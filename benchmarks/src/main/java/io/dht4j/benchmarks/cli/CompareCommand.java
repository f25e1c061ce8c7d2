package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.compare.Comparison;
import io.dht4j.benchmarks.report.Results;
import io.dht4j.benchmarks.report.ResultsException;
import io.dht4j.benchmarks.report.ResultsFile;
import io.dht4j.server.cli.console.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares two reports. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        header = "Shows the changes from one report to another, and whether they exceed the noise.%n",
        description = {
            "%nA difference counts if chance explains it with less than 5 %% (Mann-Whitney U test, exact, "
                    + "two-sided). Three or fewer repetitions on each side never suffice: the verdict is \"cannot "
                    + "tell\".%n"
        })
final class CompareCommand implements Callable<Integer> {

    private static final int WORSE = 3;
    private static final int NOT_JUDGED = 4;

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DIR_A", description = "Directory of the earlier report.")
    private Path before = Path.of("");

    @Parameters(index = "1", paramLabel = "DIR_B", description = "Directory of the later report.")
    private Path after = Path.of("");

    @Option(
            names = "--fail-if-worse",
            description =
                    "Ends with 3 if something is worse by more than the noise, with 4 if nothing could be judged. "
                            + "Without it the exit code is independent of the result.")
    private boolean failIfWorse;

    CompareCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, ResultsException {
        Results a = read(before);
        Results b = read(after);
        Comparison comparison = Comparison.of(a, b);
        if (!comparison.hasCommon()) {
            String scenarios = a.scenario().equals(b.scenario())
                    ? "both are of the scenario " + a.scenario()
                    : "they are of the scenarios " + a.scenario() + " and " + b.scenario();
            throw new ParameterException(spec.commandLine(), "the reports have no measurement in common: " + scenarios);
        }
        comparison.lines().forEach(console.out()::println);
        if (failIfWorse && !comparison.isJudged()) {
            console.err().println("dht bench compare: nothing could be judged: too few repetitions");
            return NOT_JUDGED;
        }
        return failIfWorse && comparison.isWorse() ? WORSE : 0;
    }

    private static Results read(Path directory) throws IOException, ResultsException {
        if (!Files.exists(directory)) {
            throw new IOException(directory + " does not exist");
        }
        return ResultsFile.read(directory);
    }
}
