package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.benchmarks.process.node.Nodes;
import io.dht4j.benchmarks.process.node.NodesSpec;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.scenarios.FixedLoad;
import io.dht4j.benchmarks.scenarios.Sweep;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.config.Setting;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class LoadScenarioTest {

    private static final String SHORT = " --quick --keys 60 --warm-up 0 --seconds 0.3";

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "localhost,'must be HOST:PORT'",
        "localhost:0,'must be HOST:PORT'",
        "http://localhost:1,'must be HOST:PORT'",
        "'localhost:7001,',must be HOST:PORT",
        "'localhost:7001,localhost:7001',must name each node only once"
    })
    void targetsThatAreNoAddressesAreRefused(String targets, String why) {
        BenchCommand run = run("load --targets " + targets);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--targets " + why);
        assertThat(directory.resolve("report")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"http", "grpc"})
    void targetsThatDoNotAnswerAreRefusedBeforeAnythingStarts(String api) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }

        BenchCommand run = run("sweep --api " + api + " --targets 127.0.0.1:" + port);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines().findFirst().orElse(""))
                .contains("--targets: no status of the node at 127.0.0.1:" + port + " over " + api
                        + ": nothing listens there (connection refused) (nothing was written)");
        assertThat(run.err()).doesNotContain("Exception");
        assertThat(directory.resolve("report")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "--key-prefix a/b,--key-prefix must be",
        "--load-processes 0,--load-processes must be",
        "--loop half,--loop must",
        "--loop closed --in-flight 3 --load-threads 4,--in-flight must be",
        "--keys 3 --load-processes 4,--load-processes must be",
        "--tls-cert a.pem --tls-ca jvm,--tls-cert and --tls-key go together",
        "--tls-cert a.pem --tls-key b.pem,--tls-cert has no effect without --tls-ca",
        "--targets 127.0.0.1:1 --heap 300,--heap has no effect with --targets",
        "--targets 127.0.0.1:1 --between-nodes tcp,--between-nodes has no effect with --targets",
        "--key-prefix mine,--key-prefix has no effect without --targets",
        "--loop closed --rate 2000,--rate has no effect with --loop closed",
        "--loop closed --send-every 0,--send-every has no effect with --loop closed",
        "--in-flight 128,--in-flight has no effect without --loop closed",
        "--mix 95/5 --operations put,--operations has no effect with --mix",
        "--mix 95,--mix: a mix must be",
        "--key-distribution zipf,--key-distribution: keys must be",
        "--value-bytes 9..,--value-bytes: largest value in bytes must be",
        "--p99 20,--p99"
    })
    void invalidParametersAreRefused(String options, String why) {
        BenchCommand run = run("load " + options);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(why);
    }

    @Test
    @Tag("full")
    void aClosedLoopReportsTheRateAtItsConcurrency() throws Exception {
        Results results =
                complete("load --loop closed --in-flight 6 --load-processes 2 --operations put --compiler c1" + SHORT);

        assertThat(results.measurements()).singleElement().satisfies(put -> {
            assertThat(put.group()).isEqualTo("PUT, 6 in flight");
            assertThat(put.unit()).isEqualTo(Measurement.CLOSED_LOOP);
            assertThat(put.values()).allMatch(perSecond -> perSecond > 0);
            assertThat(put.levels()).singleElement().satisfies(level -> {
                assertThat(level.result().spec().closedLoop()).isTrue();
                assertThat(level.result().errors()).isEmpty();
                assertThat(level.result().served()).isEqualTo(level.result().offered());
            });
        });
    }

    @Test
    @Tag("full")
    void aMixOfSkewedKeysAndSizesIsLoadedFromTwoProcesses() throws Exception {
        Results results = complete("load --mix get=40,insert=20,scan=40 --key-distribution recent:80/10"
                + " --value-bytes 10..300 --rate 200 --load-processes 2 --compiler c1 --heap 256" + SHORT);

        assertThat(results.measurements()).singleElement().satisfies(mix -> {
            assertThat(mix.group()).isEqualTo("get=40,insert=20,scan=40, 200/s offered");
            LoadResult load = mix.levels().get(0).result();
            assertThat(load.errors()).isEmpty();
            assertThat(load.absent()).isZero();
            assertThat(load.latencyByKind()).containsOnlyKeys("get", "insert", "scan");
        });
        assertThat(Files.readString(directory.resolve("report").resolve("report.md")))
                .contains("### Latency of each kind of operation", "| 200/s |");
    }

    @ParameterizedTest
    @CsvSource({"http", "grpc"})
    @Tag("full")
    void loadOfARunningClusterKeepsItsOtherKeys(String api) throws Exception {
        NodesSpec spec = NodesSpec.of(3, directory.resolve("."), Map.of(Setting.TIMEOUT, "20000"))
                .withJvm(192, List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        try (Nodes nodes = Nodes.start(api.equals("grpc") ? spec.withGrpcApi() : spec)) {
            DhtClient client = new DhtClient(
                    nodes.httpAddresses().stream()
                            .map(address -> URI.create("http://" + address))
                            .toList(),
                    Duration.ofSeconds(20));
            AskedPolicy policy = AskedPolicy.DEFAULT;
            client.put(Key.of("dht4j"), new byte[] {1}, policy, OptionalLong.empty())
                    .get();
            client.put(Key.of("zebra"), new byte[] {2}, policy, OptionalLong.empty())
                    .get();
            String targets = String.join(",", api.equals("grpc") ? nodes.grpcAddresses() : nodes.httpAddresses());

            Results results = complete(
                    "load --rate 60 --repetitions 2 --load-processes 2 --api " + api + " --targets " + targets + SHORT);

            assertThat(results.measurements()).hasSize(2).allSatisfy(measured -> {
                assertThat(measured.variant()).isEqualTo("targets");
                assertThat(measured.values()).hasSize(2);
                assertThat(measured.costs()).isEmpty();
                assertThat(measured.levels().get(0).result().offered()).isBetween(16L, 20L);
                assertThat(measured.levels().get(0).result().failed()).isZero();
            });
            assertThat(results.notes()).anyMatch(note -> note.contains("60 keys that begin with dht4j-bench-"));
            assertThat(keys(client)).containsExactlyInAnyOrder("dht4j", "zebra");
        }
    }

    @Test
    @Tag("full")
    void keysInTheWayAreRefusedAndCanBeDeleted() throws Exception {
        NodesSpec spec = NodesSpec.of(1, directory.resolve("."), Map.of(Setting.REPLICATION_FACTOR, "1"))
                .withJvm(192, List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        try (Nodes nodes = Nodes.start(spec)) {
            DhtClient client = new DhtClient(
                    List.of(URI.create("http://" + nodes.httpAddresses().get(0))), Duration.ofSeconds(20));
            client.put(Key.of("dht4j-bench-mine"), new byte[1], AskedPolicy.DEFAULT, OptionalLong.empty())
                    .get();
            String load = "load --rate 60 --operations get --targets "
                    + nodes.httpAddresses().get(0) + SHORT;

            BenchCommand refused = run(load);

            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err())
                    .contains("already has keys that begin with dht4j-bench-, such as dht4j-bench-mine");
            assertThat(keys(client)).containsExactly("dht4j-bench-mine");
            complete(load + " --clean-up both");
            assertThat(keys(client)).isEmpty();
        }
    }

    @Test
    @Tag("full")
    void aSweepOfTransportsEndsWithKneesAndCurves() throws Exception {
        Results results = complete("sweep --clients vertx,tcp --operations put --load-processes 2 --first-rate 20"
                + " --greatest-rate 80 --step 2 --precision 1 --p99 60000 --heap 256" + SHORT);

        assertThat(results.measurements()).extracting(Measurement::variant).containsExactly("vertx", "tcp");
        assertThat(results.measurements()).allSatisfy(measured -> {
            assertThat(measured.values()).allMatch(knee -> knee > 0);
            assertThat(measured.levels()).hasSizeGreaterThan(1);
            assertThat(measured.levels()).extracting(LoadLevel::percent).contains(LoadLevel.ALL);
        });
    }

    private BenchCommand run(String scenario) {
        return BenchCommand.run(
                List.of(new FixedLoad(), new Sweep()),
                ("run " + scenario + " --out " + directory.resolve("report")).split(" "));
    }

    private Results complete(String scenario) throws Exception {
        BenchCommand run = run(scenario);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.err()).doesNotContain("Exception");
        return ResultsFile.read(directory.resolve("report"));
    }

    private static List<String> keys(DhtClient client) throws Exception {
        try (InputStream lines = client.scan(KeyRange.all(), OptionalLong.empty(), ScanScope.CLUSTER)) {
            return new String(lines.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.replaceAll(".*\"key\":\"([^\"]*)\".*", "$1"))
                    .toList();
        }
    }
}
