package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.scenarios.Scenarios;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the parameters of workloads refuse, before anything starts. */
class WorkloadParametersTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "clients --mix 95/6|--mix: the shares of operations must be 100 percent together, not 101",
                "ordering --mix 95|--mix: a mix must be GETS/UPDATES, as 95/5, or shares",
                "scale --key-distribution zipf|--key-distribution: keys must be uniform, zipfian, zipfian:THETA",
                "scale --key-distribution zipfian:2|--key-distribution: theta must be 0.01 to 0.999, not \"2\"",
                "durability --key-distribution recent:80|--key-distribution: keys must be uniform",
                "durability --value-bytes 100..200|--value-bytes must be one size in this scenario, 0 to 16,777,216,"
                        + " not '100..200'",
                "clients --value-bytes 9..16777217|--value-bytes must be 0 to 16,777,216, not '9..16777217'",
                "clients --value-bytes -1|--value-bytes: value size in bytes must be 0 to 1073741824, not \"-1\"",
                "cancellation --mix 95/5|--mix",
                "ycsb --workloads g|--workloads",
                "ycsb --candidates tcp|--candidates",
                "ycsb --mix 95/5|--mix",
                "clients --mix 95/5 --operations get|--operations has no effect with --mix, which replaces it",
                "clients --rate 3000 --precision 0.1|--precision has no effect with a number as --rate",
                "clients --rate 3000 --searches each|--searches has no effect with a number as --rate",
                "ycsb --in-flight 8|--in-flight has no effect without --loop closed",
                "ycsb --loop closed --rate 3000|--rate has no effect with --loop closed",
                "ycsb --loop closed --precision 0.1|--precision has no effect with --loop closed",
                "ycsb --loop closed --profiles cpu|--profiles has no effect with --loop closed",
                "ycsb --processes kept|--processes kept needs a number as --rate",
                // A closed loop needs no rate, so the first complaint is about another parameter.
                "ycsb --loop closed --processes kept --profiles none --in-flight 2|--in-flight must be a whole number"
                        + " from 3 to 4,096, not '2'",
                "ycsb --between-nodes tcp|--candidates must not have both embedded and embedded-tcp with"
                        + " --between-nodes tcp"
            })
    void aWrongValueIsRefusedInOneSentence(String run, String message, @TempDir Path directory) throws Exception {
        BenchCommand command = BenchCommand.run(
                Scenarios.all(),
                Stream.concat(
                                Stream.of("run"),
                                Stream.concat(
                                        Stream.of(run.split(" ")),
                                        Stream.of(
                                                "--out",
                                                directory.resolve("report").toString())))
                        .toArray(String[]::new));

        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains(message).doesNotContain("Exception");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }
}
