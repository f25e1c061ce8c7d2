package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.compare.Comparison;
import io.dht4j.benchmarks.report.Results;
import io.dht4j.benchmarks.report.ResultsException;
import io.dht4j.benchmarks.report.ResultsFile;
import io.dht4j.examples.cli.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares two reports. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        header = "Says what changed from one report to another, and whether it exceeds the noise.%n",
        description = {
            "%nA difference counts if the Mann-Whitney U test (exact, two-sided) gives the repetitions less than 5 %% to come "
                    + "out so by chance. With three repetitions on each side or fewer no outcome could: then it says "
                    + "\"cannot tell\".%n"
        })
final class CompareCommand implements Callable<Integer> {

    private static final int WORSE = 3;

    private final Console console;

    @Parameters(index = "0", paramLabel = "DIR_A", description = "Directory of the earlier report.")
    private Path before = Path.of("");

    @Parameters(index = "1", paramLabel = "DIR_B", description = "Directory of the later report.")
    private Path after = Path.of("");

    @Option(
            names = "--fail-if-worse",
            description =
                    "Ends with 3 if something is worse by more than the noise. Otherwise the exit code does not depend "
                            + "on what is found.")
    private boolean failIfWorse;

    CompareCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, ResultsException {
        Results a = ResultsFile.read(before);
        Results b = ResultsFile.read(after);
        Comparison comparison = Comparison.of(a, b);
        comparison.lines().forEach(console.out()::println);
        return failIfWorse && comparison.isWorse() ? WORSE : 0;
    }
}
