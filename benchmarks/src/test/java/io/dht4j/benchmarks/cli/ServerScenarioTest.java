package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.load.Operation;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.report.Results;
import io.dht4j.benchmarks.report.ResultsFile;
import io.dht4j.benchmarks.scenario.Async;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scenario with real nodes and a real load, as short as can be. */
class ServerScenarioTest {

    @Test
    void a_run_finds_a_rate_for_each_variant_with_costs_and_a_profile(@TempDir Path directory) throws Exception {
        Path out = directory.resolve("report");

        BenchCommand run = BenchCommand.run(
                List.of(new Async()),
                ("run async --quick --operations put --keys 50 --warm-up 0.2 --seconds 0.2 --repetitions 1 --precision 1"
                                + " --first-rate 20 --greatest-rate 40 --p99 60000 --profiles cpu --heap 256 --out "
                                + out)
                        .split(" "));

        assertThat(run.err()).doesNotContain("Exception");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        Results results = ResultsFile.read(out);
        assertThat(results.complete()).isTrue();
        List<Measurement> puts = results.measurements().stream()
                .filter(measurement -> measurement.group().equals(Operation.PUT.name()))
                .toList();
        assertThat(puts).extracting(Measurement::variant).containsExactly("asynchronous", "blocking");
        assertThat(puts).allSatisfy(measurement -> {
            assertThat(measurement.values()).allMatch(rate -> rate > 0);
            assertThat(measurement.levels()).hasSize(5);
            assertThat(measurement.costs()).containsKey("bytes allocated");
            assertThat(measurement.profiles()).hasSize(1);
        });
    }
}
