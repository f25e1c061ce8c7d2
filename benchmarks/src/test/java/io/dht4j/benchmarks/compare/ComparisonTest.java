package io.dht4j.benchmarks.compare;

import static io.dht4j.benchmarks.report.SampleResults.bare;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.report.Machine;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.report.Results;
import io.dht4j.benchmarks.report.SampleResults;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static final Double[] LOW = {100.0, 101.0, 102.0, 103.0, 104.0};
    private static final Double[] HIGH = {200.0, 201.0, 202.0, 203.0, 204.0};

    @Test
    void moreOfWhatShouldBeMoreIsBetter() {
        Comparison comparison = compare(bare("PUT", "jdk", LOW), bare("PUT", "jdk", HIGH));

        assertThat(comparison.isWorse()).isFalse();
        assertThat(comparison.lines())
                .anyMatch(line -> line.startsWith(
                        "PUT, jdk: 102 (100 to 104) -> 202 (200 to 204) operations/s, +98.0 %: BETTER beyond noise"));
    }

    @Test
    void lessOfItIsWorse() {
        Comparison comparison = compare(bare("PUT", "jdk", HIGH), bare("PUT", "jdk", LOW));

        assertThat(comparison.isWorse()).isTrue();
        assertThat(comparison.lines()).anyMatch(line -> line.contains("-49.5 %: WORSE beyond noise (p = 0.008)"));
    }

    @Test
    void moreOfWhatShouldBeLessIsWorse() {
        Comparison comparison = compare(latency(LOW), latency(HIGH));

        assertThat(comparison.isWorse()).isTrue();
    }

    @Test
    void fewRepetitionsAreNoClaim() {
        Comparison comparison = compare(bare("PUT", "jdk", 200.0, 201.0), bare("PUT", "jdk", 1.0, 2.0));

        assertThat(comparison.isWorse()).isFalse();
        assertThat(comparison.isJudged()).isFalse();
        assertThat(comparison.hasCommon()).isTrue();
        assertThat(comparison.lines()).anyMatch(line -> line.contains("cannot tell: too few repetitions (2 and 2)"));
    }

    @Test
    void whatOnlyOneHasIsNamed() {
        Comparison comparison = compare(bare("PUT", "jdk", LOW), bare("PUT", "vertx", LOW));

        assertThat(comparison.hasCommon()).isFalse();
        assertThat(comparison.lines()).contains("PUT, jdk: only in A", "PUT, vertx: only in B");
    }

    @Test
    void otherParametersAndAnotherMachineAreNamed() {
        Results a = SampleResults.with(List.of(bare("PUT", "jdk", LOW)));
        Results b = new Results(
                a.schema(),
                a.scenario(),
                a.question(),
                a.command(),
                a.began(),
                a.tookSeconds(),
                false,
                true,
                Map.of("keys", "2000", "threads", "4"),
                "sha256 ba9876543210",
                new Machine(4, "Another", 1, "Linux 7", "Java 25"),
                a.measurements(),
                a.notes(),
                a.links());

        assertThat(Comparison.of(a, b).lines())
                .contains(
                        "  form: full -> quick",
                        "  --keys: 1000 -> 2000",
                        "  --threads: (none) -> 4",
                        "  --variants: jdk,one nio -> (none)",
                        "  build: sha256 0123456789ab -> sha256 ba9876543210",
                        "  processors: 2 -> 4",
                        "  Java: OpenJDK 64-Bit Server VM 17.0.15 -> Java 25")
                .anyMatch(line -> line.startsWith("B: ") && line.endsWith("INCOMPLETE"));
    }

    @Test
    void theSameRunTwiceIsNoise() {
        Results results = SampleResults.everything();

        Comparison comparison = Comparison.of(results, results);

        assertThat(comparison.isWorse()).isFalse();
        assertThat(comparison.isJudged()).isTrue();
        assertThat(comparison.lines())
                .contains("Same build, same parameters, same kind of machine.")
                .anyMatch(line -> line.contains("doubt in A: the hypervisor"))
                .noneMatch(line -> line.contains("beyond noise ("));
        assertThat(comparison.lines().stream().filter(line -> line.contains(": within noise")))
                .hasSize(results.measurements().size());
    }

    private static Comparison compare(Measurement a, Measurement b) {
        return Comparison.of(SampleResults.with(List.of(a)), SampleResults.with(List.of(b)));
    }

    private static Measurement latency(Double... values) {
        return new Measurement(
                "PUT", "jdk", "ms", false, List.of(values), Map.of(), List.of(), Map.of(), List.of(), List.of());
    }
}
