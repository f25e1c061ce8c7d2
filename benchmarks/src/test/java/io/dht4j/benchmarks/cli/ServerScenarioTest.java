package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.report.Answer;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.scenarios.Scenarios;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.workload.Workload;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs scenarios with real nodes and a real load, as short as possible. */
class ServerScenarioTest {

    @Test
    @Tag("full")
    void aRunFindsARateForEachVariantWithCostsAndAProfile(@TempDir Path directory) throws Exception {
        Path out = directory.resolve("report");

        BenchCommand run = BenchCommand.run(
                Scenarios.all(),
                ("run async --quick --operations put --keys 50 --warm-up 0.2 --seconds 0.2 --repetitions 1 "
                                + "--precision 1 --rate search --processes new --warm-up-limit 0.5"
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
        assertThat(puts).extracting(Measurement::costRate).doesNotContain(0.0).hasSize(2);
        assertThat(puts.get(0).costRate()).isEqualTo(puts.get(1).costRate());
    }

    @Test
    @Tag("full")
    void keptProcessesMeasureCostsAtTheGivenRate(@TempDir Path directory) throws Exception {
        Results results = run(
                "clients --clients vertx,tcp --operations put,get --keys 50 --warm-up 0.2 --warm-up-limit 0.5"
                        + " --seconds 0.2 --repetitions 2 --rate 40 --processes kept --p99 60000 --profiles cpu"
                        + " --heap 256",
                directory.resolve("report"));

        assertThat(results.measurements())
                .extracting(measurement -> measurement.group() + " " + measurement.variant())
                .containsExactlyInAnyOrder("PUT vertx", "PUT tcp", "GET vertx", "GET tcp");
        assertThat(results.measurements()).allSatisfy(measurement -> {
            assertThat(measurement.values()).hasSize(2);
            assertThat(measurement.costs().get("CPU µs")).hasSize(2);
            assertThat(measurement.costRate()).isEqualTo(40);
            // Without a search, the latency is that of the first count.
            assertThat(measurement.levels())
                    .singleElement()
                    .satisfies(level ->
                            assertThat(level.result().spec().perSecond()).isEqualTo(40));
            assertThat(measurement.profiles()).hasSize(1);
        });
    }

    @Test
    @Tag("full")
    void aScenarioOverTheGrpcApiComesToItsEnd(@TempDir Path directory) throws Exception {
        runWithServers(
                "scale --nodes 3 --entries none --sizes none --in-flight none --api grpc --connections 1 "
                        + "--load-threads 2",
                directory);
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(
            strings = {
                "clients --clients vertx",
                "clients --clients tcp",
                "sharding --placements ring",
                "replication --policies 1/1,2/3",
                "cancellation --clients vertx --policies local --client-threads 8 --minutes 0.02 --soak-rate 20",
                "executors --replies own-2 --policies quorum",
                "durability --stores memory --sizes 100",
                "ordering --orderings linearizable"
            })
    void everyOtherScenarioWithServersComesToItsEnd(String scenario, @TempDir Path directory) throws Exception {
        runWithServers(scenario, directory);
    }

    @Test
    @Tag("full")
    void everyWorkloadOfYcsbRunsOverEveryCandidate(@TempDir Path directory) throws Exception {
        List<String> candidates = List.of("embedded", "http-api", "grpc-api", "embedded-tcp");

        Results results =
                runWithServers("ycsb --workloads a,b,c,d,e,f --candidates " + String.join(",", candidates), directory);

        assertThat(results.measurements())
                .extracting(measurement -> measurement.group() + " " + measurement.variant())
                .containsExactlyInAnyOrderElementsOf(Workload.ycsb().stream()
                        .flatMap(workload -> candidates.stream().map(candidate -> workload.name() + " " + candidate))
                        .toList());
        assertThat(results.measurements())
                .flatExtracting(Measurement::levels)
                .isNotEmpty()
                .allSatisfy(level -> assertThat(level.result().errors()).isEmpty());
    }

    @Test
    @Tag("full")
    void closedLoopsOfYcsbAreComparedByTheirRates(@TempDir Path directory) throws Exception {
        Results results = run(
                "ycsb --workloads e,f --candidates embedded,http-api --loop closed --in-flight 6"
                        + " --processes new --keys 50 --warm-up 0.2 --warm-up-limit 0.5 --seconds 0.2"
                        + " --repetitions 1 --heap 256",
                directory.resolve("report"));

        assertThat(results.measurements()).hasSize(4).allSatisfy(measurement -> {
            assertThat(measurement.unit()).isEqualTo(Measurement.CLOSED_LOOP);
            assertThat(measurement.costs()).isEmpty();
            assertThat(measurement.levels())
                    .singleElement()
                    .satisfies(level -> assertThat(level.result().errors()).isEmpty());
        });
        assertThat(Answer.of(results).text()).contains("operations/s in a closed loop");
    }

    @Test
    @Tag("full")
    void closedLoopsKeepTheirProcessesIfAskedTo(@TempDir Path directory) throws Exception {
        Results results = run(
                "ycsb --workloads f --candidates embedded,http-api --loop closed --in-flight 6"
                        + " --processes kept --keys 50 --warm-up 0.2 --warm-up-limit 0.5 --seconds 0.2"
                        + " --repetitions 2 --heap 256",
                directory.resolve("report"));

        assertThat(results.notes()).anyMatch(note -> note.contains("started once and stayed"));
        assertThat(results.measurements())
                .hasSize(2)
                .allSatisfy(measurement -> assertThat(measurement.values()).hasSize(2));
    }

    @Test
    @Tag("full")
    void aMixWithSkewedKeysAndSizesReplacesPutsAndGets(@TempDir Path directory) throws Exception {
        Results results = runWithServers(
                "ordering --orderings real-time --mix get=70,insert=20,update=10 --key-distribution recent:80/10"
                        + " --value-bytes 10..300",
                directory);

        assertThat(results.measurements()).extracting(Measurement::group).containsExactly("get=70,update=10,insert=20");
        assertThat(results.measurements())
                .flatExtracting(Measurement::levels)
                .isNotEmpty()
                .allSatisfy(level ->
                        assertThat(level.result().latencyByKind()).containsOnlyKeys("get", "update", "insert"));
    }

    private static Results runWithServers(String scenario, Path directory) throws Exception {
        Results results = run(
                scenario
                        + (scenario.matches("cancellation .*|ycsb .*|.* --mix .*") ? "" : " --operations get")
                        + " --keys 50 --warm-up 0.2 --seconds 0.2 --repetitions 1 --precision 1 --first-rate 20"
                        + " --rate search --processes new --warm-up-limit 0.5 --greatest-rate 40"
                        + " --p99 60000 --profiles none --heap 256",
                directory.resolve("report"));

        assertThat(results.complete()).isTrue();
        // Whether a rate holds for a fifth of a second depends on the machine.
        assertThat(results.measurements())
                .isNotEmpty()
                .allSatisfy(measurement -> assertThat(measurement.values()).isNotEmpty());
        return results;
    }

    @Test
    @Tag("full")
    void aGrowthComesToItsEndWithAllKeysAndNoFailure(@TempDir Path directory) throws Exception {
        Results results = run(
                "growth --keys 500 --rate 50 --window 0.5 --windows 1 --warm-up 0 --heap 256",
                directory.resolve("report"));

        assertThat(results.measurements())
                .extracting(measurement -> measurement.group() + ", " + measurement.variant())
                .contains(
                        "p99 of a get, undisturbed",
                        "p99 of a get, during the moves",
                        "p99 of a put, during the moves",
                        "rows, n4",
                        "moved entries, the moves",
                        "duration of the moves, measured");
        assertThat(results.measurements().stream()
                        .filter(measurement -> measurement.group().matches("failed calls|lost keys")))
                .hasSize(2)
                .allSatisfy(measurement -> assertThat(measurement.values()).containsExactly(0.0));
        // The first line of the answer.
        assertThat(Answer.of(results).sentences().get(0))
                .isEqualTo(results.conclusion())
                .contains("none of 500 keys was lost");
    }

    @Test
    @Tag("full")
    void staticAndAgreedClustersAreComparedInPairs(@TempDir Path directory) throws Exception {
        Results results = run(
                "membership --keys 50 --rate 40 --warm-up 0.2 --warm-up-limit 0.5 --seconds 0.2 --repetitions 2"
                        + " --idle-windows 1 --idle-seconds 0.5 --p99 60000 --heap 256",
                directory.resolve("report"));

        assertThat(results.measurements())
                .extracting(measurement -> measurement.group() + ", " + measurement.variant())
                .contains("PUT, static", "PUT, agreed", "GET, static", "GET, agreed");
        assertThat(results.measurements().stream()
                        .filter(measurement -> measurement.group().endsWith("in pairs")))
                .isNotEmpty()
                .allSatisfy(measurement -> assertThat(measurement.values()).hasSize(2));
        assertThat(Answer.of(results).sentences().get(0)).isEqualTo(results.conclusion());
    }

    @Test
    @Tag("full")
    void observedNodesAreComparedInPairsWithOthers(@TempDir Path directory) throws Exception {
        Results results = run(
                "observation --candidates metrics,slow-calls --operations put --keys 50 --rate 40 --warm-up 0.2"
                        + " --warm-up-limit 0.5 --seconds 0.2 --repetitions 2 --p99 60000 --heap 256",
                directory.resolve("report"));

        assertThat(results.measurements())
                .extracting(measurement -> measurement.group() + ", " + measurement.variant())
                .contains(
                        "PUT, off",
                        "PUT, metrics",
                        "PUT, slow-calls",
                        "processor time of a put, in pairs, metrics",
                        "processor time of a put, in pairs, slow-calls");
        assertThat(Answer.of(results).sentences().get(0)).isEqualTo(results.conclusion());
    }

    @Test
    void theComparisonOfTransportsComesToItsEnd(@TempDir Path directory) throws Exception {
        runClosedLoops("transports --transports vertx", directory);
    }

    @Test
    @Tag("full")
    void theComparisonWithOtherProductsComesToItsEnd(@TempDir Path directory) throws Exception {
        runClosedLoops("peers --products dht4j,infinispan", directory);
    }

    private static void runClosedLoops(String scenario, Path directory) throws Exception {
        assertThat(run(
                                scenario + " --keys 100 --in-flight 4 --warm-up 0.1 --warm-up-limit 0.1 --seconds 0.1"
                                        + " --repetitions 1",
                                directory.resolve("report"))
                        .complete())
                .isTrue();
    }

    private static Results run(String scenario, Path out) throws Exception {
        BenchCommand run = BenchCommand.run(Scenarios.all(), ("run " + scenario + " --quick --out " + out).split(" "));

        assertThat(run.err()).doesNotContain("Exception");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return ResultsFile.read(out);
    }
}
