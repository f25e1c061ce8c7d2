package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.report.Report;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * One command from a stranger's jar to the report: {@code ./dht bench run transports --with my.jar --class a.B}, the
 * script itself in a checkout whose build is the published jars.
 */
@Tag("full")
@EnabledOnOs({OS.LINUX, OS.MAC})
class OwnTransportProcessTest {

    private static final long PATIENCE_SECONDS = 300;
    private static final String CANDIDATE = "io.dht4j.examples.measure.TcpCandidate";

    @TempDir
    Path directory;

    /** Makes a checkout that needs no build: nothing in it is newer than the build's stamp. */
    private Path checkout(List<Path> jars) throws IOException {
        Path checkout = Files.createDirectory(directory.resolve("checkout"));
        Files.createDirectories(checkout.resolve("benchmarks/src/main"));
        Files.createDirectories(checkout.resolve("dht-api/src/main"));
        for (String pom : List.of("pom.xml", "benchmarks/pom.xml", "dht-api/pom.xml")) {
            Files.createFile(checkout.resolve(pom));
        }
        Files.copy(Path.of("..", "dht"), checkout.resolve("dht"));
        Path lib = Files.createDirectories(checkout.resolve("target/dht/bench.published"));
        for (Path jar : jars) {
            Files.copy(jar, lib.resolve(jar.getFileName().toString()));
        }
        Files.writeString(checkout.resolve("target/dht/bench.stamp"), "bench.published\n");
        return checkout;
    }

    @Test
    void oneCommandGivesTheTransportOfAJarItsBars() throws Exception {
        PublishedJars published = new PublishedJars(directory);
        Path jar = published.example();
        Path out = directory.resolve("report");
        Path said = directory.resolve("said");
        Path err = directory.resolve("err");

        Process process = new ProcessBuilder(
                        "bash",
                        checkout(published.all()).resolve("dht").toString(),
                        "bench",
                        "run",
                        "transports",
                        "--with",
                        jar.toString(),
                        "--class",
                        CANDIDATE,
                        "--transports",
                        "tcp",
                        "--keys",
                        "100",
                        "--in-flight",
                        "4",
                        "--warm-up",
                        "0.1",
                        "--warm-up-limit",
                        "0.1",
                        "--seconds",
                        "0.1",
                        "--repetitions",
                        "2",
                        "--out",
                        out.toString())
                .redirectOutput(said.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }

        assertThat(process.exitValue())
                .as(Files.readString(said) + Files.readString(err))
                .isZero();
        assertThat(Files.readAllLines(said).get(0))
                .startsWith("PUT, un-batched: ")
                .contains("my-tcp ", "tcp ");
        Results results = ResultsFile.read(out);
        assertThat(results.measurements())
                .filteredOn(measurement -> measurement.variant().equals("my-tcp"))
                .hasSize(2)
                .allSatisfy(measurement -> {
                    assertThat(measurement.group()).startsWith("PUT, ");
                    assertThat(measurement.values()).hasSize(2).allMatch(rate -> rate > 0);
                    assertThat(measurement.costs()).containsKeys("CPU µs", "bytes allocated");
                    assertThat(measurement.ratios()).containsOnlyKeys("of tcp");
                });
        assertThat(results.measurements())
                .filteredOn(measurement -> measurement.variant().equals("tcp"))
                .extracting(Measurement::group)
                .contains("ECHO, bare library");
        assertThat(Files.readString(out.resolve(Report.PAGE)))
                .contains("<tspan class=\"name\">my-tcp</tspan>", "<th>my-tcp</th>");
    }
}
