package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.report.Report;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenarios.Scenarios;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The first line of the command and of the page answers the question of each scenario. The measurements are recorded
 * ones, those of async and cancellation without their doubts; question and key figure are the scenario's, and the
 * command, its output and its report are the real ones.
 */
class FirstLineTest {

    private static final Pattern FIRST_ANSWER = Pattern.compile("<p class=\"answer\">(.*?)</p>", Pattern.DOTALL);

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "clients-one-repetition|CPU per put: vertx-pipelined 64.6 µs: cheapest, "
                        + "but one repetition leaves the noise unknown (use --repetitions 4); ",
                "async-one-repetition|PUT: batching 9,349/s: highest, "
                        + "but one repetition leaves the noise unknown (use --repetitions 4); ",
                "cancellation-one-repetition|CPU per get: vertx, 32 connections, never 261 µs: cheapest, ",
                "executors-one-repetition|CPU per put: quorum, replies transport 185 µs: cheapest, "
                        + "but one repetition leaves the noise unknown (use --repetitions 4); ",
                "sharding-one-repetition|CPU per put: one node 35.4 µs: cheapest, "
                        + "but one repetition leaves the noise unknown (use --repetitions 4); ",
                "replication-one-repetition|CPU per put: 1/1 154 µs: cheapest, "
                        + "but one repetition leaves the noise unknown (use --repetitions 4); ",
                "transports-three-repetitions|PUT, un-batched: my-tcp 44,490/s (1.04 of tcp), tcp 42,921/s (0.59 of "
                        + "its library's echoes): within noise; vertx 940/s ",
            })
    void firstLineComparesTheBestFigureWithTheNoise(String recorded, String first) throws Exception {
        Results results = recorded(recorded);
        Scenario real = Scenarios.all().stream()
                .filter(scenario -> recorded.startsWith(scenario.name() + "-"))
                .findFirst()
                .orElseThrow();
        Path out = directory.resolve("report");

        BenchCommand run = BenchCommand.run(
                List.of(new Replayed(real, results.measurements())), "run", real.name(), "--out", out.toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        String line = run.out().lines().findFirst().orElseThrow();
        assertThat(line)
                .contains(first)
                .containsPattern("(beyond noise|within noise|leaves the noise unknown|to exclude noise)");
        Matcher page = FIRST_ANSWER.matcher(Files.readString(out.resolve(Report.PAGE)));
        assertThat(page.find()).isTrue();
        // The page escapes some characters.
        String answer =
                page.group(1).replace("&#39;", "'").replace("&#x2F;", "/").replace("&amp;", "&");
        assertThat(line).startsWith(answer);
        assertThat(answer).contains(first.strip());
    }

    private Results recorded(String name) throws Exception {
        Path report = Files.createDirectory(directory.resolve("recorded"));
        try (InputStream in = Report.class.getResourceAsStream(name + ".json")) {
            Files.copy(in, report.resolve(ResultsFile.NAME));
        }
        return ResultsFile.read(report);
    }

    /** A scenario whose measurements are recorded. */
    private record Replayed(Scenario real, List<Measurement> measurements) implements Scenario {

        @Override
        public String name() {
            return real.name();
        }

        @Override
        public String question() {
            return real.question();
        }

        @Override
        public KeyFigure keyFigure() {
            return real.keyFigure();
        }

        @Override
        public List<Parameter> parameters() {
            return real.parameters();
        }

        @Override
        public void check(Settings settings) {
            real.check(settings);
        }

        @Override
        public Needs needs(Settings settings) {
            return Needs.LITTLE;
        }

        @Override
        public void run(RunContext context) {
            measurements.forEach(context::add);
        }
    }
}
