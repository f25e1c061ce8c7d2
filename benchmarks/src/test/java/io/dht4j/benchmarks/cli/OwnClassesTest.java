package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.report.Report;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.scenarios.Scenarios;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Measures classes of jars that are compiled against the published modules alone. */
@Tag("full")
class OwnClassesTest {

    private static final String CANDIDATE = "io.dht4j.examples.measure.TcpCandidate";

    @TempDir
    Path directory;

    private Path exampleJar() throws Exception {
        return new PublishedJars(directory).example();
    }

    private Path jar(List<Path> sources) throws Exception {
        return new PublishedJars(directory).compile(sources);
    }

    private Results measure(String scenario, String settings, Path jar) throws Exception {
        Path out = directory.resolve("report");
        BenchCommand run = BenchCommand.run(
                Scenarios.all(),
                ("run " + scenario + " --quick --with " + jar + " --out " + out + " " + settings).split(" "));
        assertThat(run.err()).doesNotContain("Exception");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return ResultsFile.read(out);
    }

    @Test
    void transportsScenarioReportsTransportOfAJar() throws Exception {
        Results results = measure(
                "transports",
                "--transports tcp --class " + CANDIDATE
                        + " --keys 100 --in-flight 4 --warm-up 0.1 --warm-up-limit 0.1 --seconds 0.1 --repetitions 1",
                exampleJar());

        assertThat(results.measurements())
                .filteredOn(measurement -> measurement.variant().equals("my-tcp"))
                .hasSize(2)
                .allSatisfy(measurement -> {
                    assertThat(measurement.group()).startsWith("PUT, ");
                    assertThat(measurement.values()).hasSize(1).allMatch(rate -> rate > 0);
                });
        assertThat(Files.readString(directory.resolve("report").resolve(Report.PAGE)))
                .contains("my-tcp");
        assertThat(results.command()).containsSubsequence("--class", CANDIDATE);
    }

    @Test
    @Tag("full")
    void aTransportOfAJarCarriesTheCallsOfNodeProcesses() throws Exception {
        Results results = measure("clients", "--clients vertx --class " + CANDIDATE + serverSettings(), exampleJar());

        assertThat(results.measurements())
                .extracting(Measurement::variant)
                .containsExactlyInAnyOrder("vertx", "my-tcp");
        assertThat(results.measurements())
                .filteredOn(measurement -> measurement.variant().equals("my-tcp"))
                .allSatisfy(measurement -> assertThat(measurement.settings()).containsEntry("class", CANDIDATE));
    }

    @Test
    @Tag("full")
    void aTransportOfAJarCarriesTheCallsOfEmbeddedMembers() throws Exception {
        Results results = measure(
                "peers",
                "--products dht4j --class " + CANDIDATE
                        + " --keys 100 --in-flight 4 --warm-up 0.1 --warm-up-limit 0.1 --seconds 1 --repetitions 1"
                        + " --heap 256",
                exampleJar());

        assertThat(results.measurements())
                .filteredOn(measurement -> measurement.variant().equals("dht4j over my-tcp"))
                .hasSize(2)
                .allSatisfy(measurement -> {
                    assertThat(measurement.values()).allMatch(rate -> rate > 0);
                    assertThat(measurement.settings()).containsEntry("transport", CANDIDATE);
                });
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(
            strings = {
                "async --coordinators blocking",
                "sharding --placements ring",
                "replication --policies 2/3",
                "executors --replies own-2 --policies quorum",
                "durability --stores memory --sizes 100",
                "ordering --orderings linearizable",
                "scale --nodes 3 --entries none --sizes none --in-flight none"
            })
    void otherScenariosUseTransportOfAJarBetweenNodes(String scenario) throws Exception {
        Results results = measure(
                scenario.split(" ")[0],
                scenario.substring(scenario.indexOf(' ') + 1) + " --between-nodes " + CANDIDATE + serverSettings(),
                exampleJar());

        assertThat(results.measurements())
                .filteredOn(measurement -> measurement.unit().equals(Measurement.PER_SECOND))
                .isNotEmpty()
                .allSatisfy(measurement -> assertThat(measurement.settings()).containsEntry("class", CANDIDATE));
    }

    private static String serverSettings() {
        return " --operations get --keys 50 --warm-up 0.2 --seconds 0.2 --repetitions 1 --warm-up-limit 0.5"
                + " --rate 40 --p99 60000 --profiles none --heap 256";
    }

    @Test
    @Tag("full")
    void nodesRunWithStorePlacementAndHashOfAJar() throws Exception {
        Path store = Files.writeString(directory.resolve("S.java"), """
                public class S implements io.dht4j.lab.StoreCandidate {
                    public String name() { return "my-store"; }
                    public io.dht4j.spi.Store open(java.nio.file.Path directory, io.dht4j.spi.MemoryBudget memory) {
                        return new io.dht4j.store.memory.MemoryStore(memory.memoryStoreBytes());
                    }
                }
                """);
        Path placement = Files.writeString(directory.resolve("P.java"), """
                public class P implements io.dht4j.spi.Placement {
                    public String name() { return "my-placement"; }
                    public io.dht4j.spi.PartitionTable assign(io.dht4j.Topology topology, int partitions) {
                        return io.dht4j.core.Placements.modulo().assign(topology, partitions);
                    }
                }
                """);
        Path hash = Files.writeString(directory.resolve("H.java"), """
                public class H implements io.dht4j.spi.HashFunction {
                    public String name() { return "my-hash"; }
                    public long hash(byte[] bytes) {
                        return java.util.Arrays.hashCode(bytes) * 0x9E3779B97F4A7C15L;
                    }
                }
                """);
        Results results = measure(
                "durability",
                "--stores memory --sizes 100 --store-class S --placement-class P --hash-class H" + serverSettings(),
                jar(List.of(store, placement, hash)));

        assertThat(results.measurements())
                .extracting(Measurement::variant)
                .containsExactlyInAnyOrder("my-store", "memory");
        assertThat(results.measurements())
                .allSatisfy(measurement -> assertThat(measurement.values()).isNotEmpty());
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource(
            delimiter = '|',
            value = {
                "transports --transports jdk --class T|T.at(|1",
                "transports --transports jdk --class U|early: U.start(|1",
                "clients --clients vertx --class T|T.at(|1",
                "sharding --placements ring --store-class S|S.open(|1",
                "sharding --placements ring --placement-class P|P.assign(|1",
                // A hash function is tried when the options are read.
                "sharding --placements ring --hash-class H|H.hash(|2"
            })
    void aClassThatThrowsEndsTheRunAndIsNamed(String scenario, String thrower, int exitCode) throws Exception {
        Path source = Files.writeString(directory.resolve("T.java"), """
                public class T implements io.dht4j.lab.TransportCandidate {
                    public String name() { return "my-tcp"; }
                    public io.dht4j.spi.Transport at(String address) { throw new IllegalStateException("no wire"); }
                }
                """);
        Path starting = Files.writeString(directory.resolve("U.java"), """
                import io.dht4j.spi.*;
                import java.util.concurrent.CompletionStage;
                public class U implements io.dht4j.lab.TransportCandidate, Transport {
                    public String name() { return "my-tcp"; }
                    public Transport at(String address) { return this; }
                    public CompletionStage<Void> start(FrameHandler handler) {
                        throw new IllegalStateException("no wire");
                    }
                    public CompletionStage<byte[]> call(io.dht4j.Node node, Frame request, CallContext context) {
                        return null;
                    }
                    public void close() {}
                }
                """);
        Path store = Files.writeString(directory.resolve("S.java"), """
                public class S implements io.dht4j.lab.StoreCandidate {
                    public String name() { return "my-store"; }
                    public io.dht4j.spi.Store open(java.nio.file.Path directory, io.dht4j.spi.MemoryBudget memory) {
                        throw new IllegalStateException("no wire");
                    }
                }
                """);
        Path placement = Files.writeString(directory.resolve("P.java"), """
                public class P implements io.dht4j.spi.Placement {
                    public String name() { return "my-placement"; }
                    public io.dht4j.spi.PartitionTable assign(io.dht4j.Topology topology, int partitions) {
                        throw new IllegalStateException("no wire");
                    }
                }
                """);
        Path hash = Files.writeString(directory.resolve("H.java"), """
                public class H implements io.dht4j.spi.HashFunction {
                    public String name() { return "my-hash"; }
                    public long hash(byte[] bytes) { throw new IllegalStateException("no wire"); }
                }
                """);
        BenchCommand run = BenchCommand.run(
                Scenarios.all(),
                ("run " + scenario + " --quick --with " + jar(List.of(source, starting, store, placement, hash))
                                + " --out " + directory.resolve("report"))
                        .split(" "));

        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.err()).contains(thrower, "threw java.lang.IllegalStateException: no wire");
    }

    @Test
    void aClassThatCannotBeMeasuredIsWrongUsage() {
        Path missing = directory.resolve("absent.jar");
        refuses("transports --with " + missing + " --class a.B", "--with: there is no file " + missing);
        refuses("clients --class a.B", "--class: no class a.B in the class path");
        refuses(
                "sharding --store-class java.lang.String",
                "--store-class: class java.lang.String must implement io.dht4j.lab.StoreCandidate");
        refuses("durability --hash-class a.B", "--hash-class: no class a.B in the class path");
        refuses("peers --class a.B", "--class: no class a.B in the class path");
        refuses(
                "ordering --between-nodes vertxx",
                "--between-nodes must be one of vertx, ",
                "or a class in the jars of --with, not 'vertxx': no class vertxx in the class path");
        refuses(
                "async --placement-class " + OwnComponents.Modulo.class.getName(),
                "--placement-class must be none with the coordinator blocking");
        refuses(
                "durability --store-class " + OwnComponents.Memory.class.getName(),
                "--store-class: the name \"memory\" of " + OwnComponents.Memory.class.getName()
                        + " is that of a built-in variant");
    }

    @Test
    void unusableClassIsRefusedWithTheScenariosThatUseIt() {
        refuses("ordering --class a.B", "there is no parameter --class of ordering, but of clients, cancellation, ");
        refuses("transports --store-class a.B", "there is no parameter --store-class of transports, but of clients, ");
        refuses("hiccups --between-nodes a.B", "there is no parameter --between-nodes of hiccups, but of async, ");
    }

    private void refuses(String command, String... messages) {
        BenchCommand run = BenchCommand.run(
                Scenarios.all(), ("run " + command + " --quick --out " + directory.resolve("report")).split(" "));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(messages).doesNotContain("Exception");
    }
}
