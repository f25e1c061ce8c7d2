package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.report.Report;
import io.dht4j.benchmarks.report.Results;
import io.dht4j.benchmarks.report.ResultsFile;
import io.dht4j.benchmarks.scenarios.Scenarios;
import io.dht4j.core.Placements;
import io.dht4j.lab.TransportCandidate;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;

/** Measures classes of jars that are compiled against the published modules alone. */
@Tag("portable")
class OwnClassesTest {

    private static final Path EXAMPLES = Path.of("..", "examples", "src", "main", "java", "io", "dht4j", "examples");
    private static final String CANDIDATE = "io.dht4j.examples.measure.TcpCandidate";

    @TempDir
    Path directory;

    /** The documentation's example of a transport, in a jar of its own. */
    private Path exampleJar() throws Exception {
        List<Path> sources = new ArrayList<>();
        for (String part : List.of("transport", "measure")) {
            try (Stream<Path> files = Files.list(EXAMPLES.resolve(part))) {
                files.forEach(sources::add);
            }
        }
        return jar(sources);
    }

    private Path jar(List<Path> sources) throws Exception {
        String published = Stream.of(
                        Transport.class,
                        TransportCandidate.class,
                        MemoryStore.class,
                        Placements.class,
                        Logger.class,
                        Nullable.class)
                .map(OwnClassesTest::home)
                .collect(Collectors.joining(":"));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        List<String> javac =
                new ArrayList<>(List.of("--release", "17", "-proc:none", "-cp", published, "-d", classes.toString()));
        sources.forEach(source -> javac.add(source.toString()));
        run("javac", javac);
        Path jar = directory.resolve("my.jar");
        run("jar", List.of("--create", "--file", jar.toString(), "-C", classes.toString(), "."));
        return jar;
    }

    private static String home(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void run(String tool, List<String> args) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int code = ToolProvider.findFirst(tool).orElseThrow().run(out, out, args.toArray(String[]::new));
        assertThat(code).as(said.toString()).isZero();
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
    @Tag("full")
    void aTransportOfAJarHasItsBarsBesideTheLibrarysTransports() throws Exception {
        Results results = measure(
                "transports",
                "--transports grpc-stream --class " + CANDIDATE
                        + " --keys 100 --in-flight 4 --warm-up 0.1 --seconds 0.1 --repetitions 1",
                exampleJar());

        assertThat(results.measurements())
                .filteredOn(measurement -> measurement.variant().equals("my-tcp"))
                .hasSize(2)
                .allSatisfy(measurement -> {
                    assertThat(measurement.group()).matches("[UB]: .*");
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

    private static String serverSettings() {
        return " --operations get --keys 50 --warm-up 0.2 --seconds 0.2 --repetitions 1 --precision 1 --first-rate 20"
                + " --greatest-rate 40 --p99 60000 --profiles none --heap 256";
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

        assertThat(results.measurements()).extracting(Measurement::variant).containsExactlyInAnyOrder("S", "memory");
        assertThat(results.measurements())
                .allSatisfy(measurement -> assertThat(measurement.values()).isNotEmpty());
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource(
            delimiter = '|',
            value = {
                "transports --transports jdk --class T|T.at(",
                "clients --clients vertx --class T|T.at(",
                "sharding --placements ring --store-class S|S.open(",
                "sharding --placements ring --placement-class P|P.assign(",
                "sharding --placements ring --hash-class H|H.hash("
            })
    void aClassThatThrowsEndsTheRunAndIsNamed(String scenario, String thrower) throws Exception {
        Path source = Files.writeString(directory.resolve("T.java"), """
                public class T implements io.dht4j.lab.TransportCandidate {
                    public String name() { return "my-tcp"; }
                    public io.dht4j.spi.Transport at(String address) { throw new IllegalStateException("no wire"); }
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
                ("run " + scenario + " --quick --with " + jar(List.of(source, store, placement, hash)) + " --out "
                                + directory.resolve("report"))
                        .split(" "));

        assertThat(run.exitCode()).isEqualTo(1);
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
    }

    private void refuses(String command, String message) {
        BenchCommand run = BenchCommand.run(
                Scenarios.all(), ("run " + command + " --quick --out " + directory.resolve("report")).split(" "));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message).doesNotContain("Exception");
    }
}
