package io.dht4j.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Judges recorded repetitions. */
class ComparisonResultTest {

    private static final List<Double> CPU = List.of(71.3, 70.2, 73.5, 72.0, 70.9);
    private static final List<Double> BYTES = List.of(4480.0, 4475.0, 4490.0, 4481.0, 4479.0);

    private static ComparisonResult result(List<Double> cpu, List<Double> bytes, String... doubts) {
        return new ComparisonResult(
                "old",
                "new",
                List.of(
                        new CostComparison("processor time per operation", "µs", CPU.subList(0, cpu.size()), cpu),
                        new CostComparison(
                                "bytes allocated per operation", "bytes", BYTES.subList(0, bytes.size()), bytes)),
                List.of(doubts));
    }

    private static String[] linesOf(ComparisonResult result, double percent) {
        AssertionError error = catchThrowableOfType(AssertionError.class, () -> result.assertNotWorse(percent));
        assertThat(error).isNotNull();
        return error.getMessage().split(System.lineSeparator());
    }

    @Test
    void higherCostBeyondTheNoiseFails() {
        ComparisonResult result = result(List.of(80.1, 78.0, 84.2, 79.5, 81.0), BYTES);
        assertThat(linesOf(result, 5))
                .containsExactly(
                        "new is worse than old by more than 5 %: processor time per operation 80.1 (78.0 to 84.2)"
                                + " against 71.3 (70.2 to 73.5) µs, 12.3 % more, which exceeds the noise (p = 0.008)",
                        "bytes allocated per operation 4,480 (4,475 to 4,490) against 4,480 (4,475 to 4,490) bytes,"
                                + " 0.0 % more, within the noise (p = 1.000)");
    }

    @Test
    void aHigherCostWithinThePercentagePasses() {
        result(List.of(80.1, 78.0, 84.2, 79.5, 81.0), BYTES).assertNotWorse(12.5);
    }

    @Test
    void aHigherCostWithinTheNoisePasses() {
        ComparisonResult noisy = result(List.of(80.1, 70.0, 84.2, 60.5, 81.0), BYTES);
        assertThat(noisy.costs().get(0).morePercent()).isGreaterThan(12);
        assertThat(noisy.costs().get(0).exceedsNoise()).isFalse();
        noisy.assertNotWorse(5);
    }

    @Test
    void aLowerCostPasses() {
        ComparisonResult better = result(List.of(60.1, 58.0, 64.2, 59.5, 61.0), BYTES);
        better.assertNotWorse(0);
        assertThat(better.costs().get(0).exceedsNoise()).isTrue();
        assertThat(better.toString()).contains("60.1 (58.0 to 64.2) against 71.3 (70.2 to 73.5) µs, 15.7 % less");
    }

    @Test
    void worstCostComesFirst() {
        ComparisonResult both =
                result(List.of(80.1, 78.0, 84.2, 79.5, 81.0), List.of(9000.0, 9001.0, 9002.0, 9003.0, 9004.0));
        assertThat(linesOf(both, 5)[0])
                .contains("bytes allocated per operation 9,002")
                .contains("100.9 % more");
        assertThat(linesOf(both, 5)[1]).startsWith("processor time per operation 80.1");
    }

    @Test
    void tooFewRepetitionsFailAndSayHowManyAreEnough() {
        ComparisonResult three = result(List.of(80.1, 78.0, 84.2), List.of(4480.0, 4475.0, 4490.0));
        assertThat(linesOf(three, 5)[0])
                .startsWith("cannot tell whether new is worse than old: processor time per operation 80.1 (78.0 to")
                .endsWith("from too few repetitions to tell it from noise: use withRepetitions(4)");
        ComparisonResult four = result(List.of(80.1, 78.0, 84.2, 79.5), BYTES.subList(0, 4));
        assertThat(linesOf(four, 5)[0]).startsWith("new is worse than old by more than 5 %: processor time");
    }

    @Test
    void doubtsFollowTheFigures() {
        ComparisonResult doubted = result(List.of(80.1, 78.0, 84.2, 79.5, 81.0), BYTES, "the compilers were at work");
        assertThat(linesOf(doubted, 5)).hasSize(3).endsWith("doubted: the compilers were at work");
        assertThat(doubted.toString()).endsWith("doubted: the compilers were at work");
    }

    @Test
    void refusesAPercentageOutOfRange() {
        ComparisonResult result = result(CPU, BYTES);
        assertThatThrownBy(() -> result.assertNotWorse(-1)).hasMessage("percent must be 0.0 to 1000.0, not -1.0");
        assertThatThrownBy(() -> result.assertNotWorse(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }
}
