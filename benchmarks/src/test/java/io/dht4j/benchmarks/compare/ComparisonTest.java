package io.dht4j.benchmarks.compare;

import static io.dht4j.benchmarks.results.SampleResults.bare;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.results.Machine;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.SampleResults;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static final Double[] LOW = {100.0, 101.0, 102.0, 103.0, 104.0};
    private static final Double[] HIGH = {200.0, 201.0, 202.0, 203.0, 204.0};

    @Test
    void moreOfWhatShouldBeMoreIsBetter() {
        Comparison comparison = compare(bare("PUT", "jdk", LOW), bare("PUT", "jdk", HIGH));

        assertThat(comparison.worse(0)).isEmpty();
        assertThat(lines(comparison))
                .anyMatch(line -> line.startsWith(
                        "PUT, jdk: 102 (100 to 104) -> 202 (200 to 204) operations/s, +98.0 %: BETTER beyond noise"));
    }

    @Test
    void lessOfItIsWorse() {
        Comparison comparison = compare(bare("PUT", "jdk", HIGH), bare("PUT", "jdk", LOW));

        assertThat(comparison.worse(0)).isPresent();
        assertThat(lines(comparison)).anyMatch(line -> line.contains("-49.5 %: WORSE beyond noise (p = 0.008)"));
    }

    @Test
    void moreOfWhatShouldBeLessIsWorse() {
        Comparison comparison = compare(latency(LOW), latency(HIGH));

        assertThat(comparison.worse(0)).isPresent();
    }

    @Test
    void fewRepetitionsAreNoClaim() {
        Comparison comparison = compare(bare("PUT", "jdk", 200.0, 201.0), bare("PUT", "jdk", 1.0, 2.0));

        assertThat(comparison.worse(0)).isEmpty();
        assertThat(comparison.isJudged()).isFalse();
        assertThat(comparison.hasCommon()).isTrue();
        assertThat(lines(comparison)).anyMatch(line -> line.contains("cannot tell: too few repetitions (2 and 2)"));
    }

    @Test
    void whatOnlyOneHasIsNamed() {
        Comparison comparison = compare(bare("PUT", "jdk", LOW), bare("PUT", "vertx", LOW));

        assertThat(comparison.hasCommon()).isFalse();
        assertThat(lines(comparison)).contains("PUT, jdk: only in A", "PUT, vertx: only in B");
    }

    @Test
    void otherParametersAndAnotherMachineAreNamed() {
        Results a = SampleResults.with(List.of(bare("PUT", "jdk", LOW)));
        Results b = new Results(
                a.schema(),
                a.scenario(),
                a.question(),
                a.keyFigure(),
                "",
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

        assertThat(lines(Comparison.of(a, b)))
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

        assertThat(comparison.worse(0)).isEmpty();
        assertThat(comparison.isJudged()).isTrue();
        assertThat(lines(comparison))
                .contains("Same build, same parameters, same kind of machine.")
                .anyMatch(line -> line.contains("doubt in A: the hypervisor"))
                .noneMatch(line -> line.contains("beyond noise ("));
        assertThat(lines(comparison).stream().filter(line -> line.contains(": within noise")))
                .hasSize(3 * results.measurements().size());
    }

    @Test
    void processorTimeAndAllocationAreComparedToo() {
        Comparison comparison = compare(costing(69.0, 70.0, 71.0, 72.0), costing(80.0, 81.0, 82.0, 84.0));

        assertThat(lines(comparison))
                .contains("PUT, vertx, CPU µs: 70.5 (69.0 to 72.0) -> 81.5 (80.0 to 84.0), +15.6 %: WORSE "
                        + "beyond noise (p = 0.029)")
                .first()
                .isEqualTo("Of 2 figures: 1 worse, 1 cannot tell. "
                        + "Too few repetitions cannot tell: use --repetitions 4 in both runs.");
        assertThat(comparison.worse(15))
                .contains("worse by more than 15 % and the noise: PUT, vertx, CPU µs: 70.5 (69.0 to 72.0) -> 81.5 "
                        + "(80.0 to 84.0), +15.6 % (p = 0.029)");
        assertThat(comparison.worse(16)).isEmpty();
    }

    @Test
    void aDifferenceWithinTheNoiseIsNeverWorse() {
        assertThat(compare(costing(69.0, 70.0, 71.0, 99.0), costing(70.0, 71.0, 98.0, 150.0))
                        .worse(0))
                .isEmpty();
    }

    private static Measurement costing(Double... micros) {
        return new Measurement(
                "PUT",
                "vertx",
                Measurement.PER_SECOND,
                true,
                List.of(1.0),
                Map.of(),
                List.of(),
                Map.of("CPU µs", List.of(micros)),
                List.of(),
                List.of());
    }

    private static List<String> lines(Comparison comparison) {
        return TextFormats.text(comparison).lines().toList();
    }

    private static Comparison compare(Measurement a, Measurement b) {
        return Comparison.of(SampleResults.with(List.of(a)), SampleResults.with(List.of(b)));
    }

    private static Measurement latency(Double... values) {
        return new Measurement("PUT", "jdk", "ms", false, List.of(values), Map.of(), List.of());
    }
}
