package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.compare.Comparison;
import io.dht4j.benchmarks.compare.ComparisonFormat;
import io.dht4j.benchmarks.report.Answer;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsException;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
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
                    + "tell\": use --repetitions 4.%n"
        })
final class CompareCommand implements Callable<Integer> {

    private static final int NOT_JUDGED = 3;
    private static final double GREATEST_PERCENT = 1_000;
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)\\s*%?");

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
            paramLabel = "PERCENT",
            description =
                    "Ends with 1 if a figure is worse by more than this, such as 5%%, and by more than the noise; "
                            + "with 3 if no figure has enough repetitions to be judged. Without it the exit code is "
                            + "independent of the result.")
    private Optional<String> failIfWorse = Optional.empty();

    @Option(names = "--format", paramLabel = "FORMAT", description = "text, junit, markdown or json. Default: text.")
    private String format = "text";

    CompareCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        ComparisonFormat form = format();
        double tolerance = failIfWorse.map(this::percent).orElse(0.0);
        Results a;
        Results b;
        try {
            a = read(before);
            b = read(after);
        } catch (IOException e) {
            return unreadable(Messages.of(e));
        } catch (ResultsException e) {
            return unreadable(String.valueOf(e.getMessage()));
        }
        return compare(a, b, form, tolerance);
    }

    /** Says why a report cannot be read. Returns a code other than 1, which a build takes for a worse figure. */
    private int unreadable(String why) {
        console.report("dht bench compare: " + why);
        return ExitCode.USAGE;
    }

    private int compare(Results a, Results b, ComparisonFormat form, double tolerance) throws IOException {
        Comparison comparison = Comparison.of(a, b);
        if (!comparison.hasCommon()) {
            String scenarios = a.scenario().equals(b.scenario())
                    ? "both are of the scenario " + a.scenario()
                    : "they are of the scenarios " + a.scenario() + " and " + b.scenario();
            throw new ParameterException(spec.commandLine(), "the reports have no measurement in common: " + scenarios);
        }
        console.out().print(form.format(comparison, tolerance));
        if (failIfWorse.isEmpty()) {
            return ExitCode.OK;
        }
        if (!comparison.isJudged()) {
            console.report("dht bench compare: nothing could be judged: too few repetitions; " + Answer.ADVICE
                    + " in both runs");
            return NOT_JUDGED;
        }
        Optional<String> worse = comparison.worse(tolerance);
        worse.ifPresent(line -> console.report("dht bench compare: " + line));
        return worse.isPresent() ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private ComparisonFormat format() {
        try {
            return ComparisonFormat.named(format);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--format " + e.getMessage(), e);
        }
    }

    private double percent(String text) {
        Matcher number = PERCENT.matcher(text.strip());
        if (number.matches() && Double.parseDouble(number.group(1)) <= GREATEST_PERCENT) {
            return Double.parseDouble(number.group(1));
        }
        throw new ParameterException(
                spec.commandLine(), "--fail-if-worse must be from 0 to 1000 percent, such as 5%, not '" + text + "'");
    }

    private static Results read(Path directory) throws IOException, ResultsException {
        if (!Files.exists(directory)) {
            throw new IOException(directory + " does not exist");
        }
        return ResultsFile.read(directory);
    }
}
