package io.dht4j.benchmarks.scenario.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dht4j.benchmarks.load.closed.ReadBack;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthFiguresTest {

    private static final GrowthFigures.Tails CALM =
            new GrowthFigures.Tails(List.of(10.0, 12.0), List.of(16.0, 22.0, 18.0), List.of(11.0), List.of(8.0, 10.0));

    /** Three replicas of 400 keys on four nodes, of which each has a share of 300. */
    private static final List<GrowthFigures.Rows> EVEN =
            List.of(rows("n1", 310), rows("n2", 300), rows("n3", 300), rows("n4", 290));

    private static GrowthFigures.Rows rows(String node, long entries) {
        return new GrowthFigures.Rows(node, entries, 1);
    }

    private static GrowthFigures figures(
            GrowthFigures.Tails gets, long failed, long found, List<GrowthFigures.Rows> rows, long movedBytes) {
        return new GrowthFigures(
                400,
                Map.of("get", gets, "put", CALM),
                5000,
                failed,
                new ReadBack.Result(found, 400 - found, Map.of()),
                rows,
                movedBytes,
                100,
                60,
                1000);
    }

    @Test
    void aGrowthWithinAllBoundsSaysSoWithItsFigures() {
        GrowthFigures growth = figures(CALM, 0, 400, EVEN, 29_000);

        assertThat(growth.conclusion(false))
                .startsWith("Within all bounds: p99 was 1.80 times")
                .contains("none of 5,000 calls failed", "none of 400 keys was lost", "in 60.0 s", "29.0 s");
    }

    @Test
    void ratiosAreThoseOfTheMediansAndOfPairsFromBothSides() {
        assertThat(CALM.ratio()).isEqualTo(1.8);
        assertThat(CALM.pairs()).containsExactly(16.0 / 10, 22.0 / 8, 18.0 / 12);
    }

    @Test
    void partsOfTheShareCountWeights() {
        GrowthFigures growth = figures(
                CALM,
                0,
                400,
                List.of(new GrowthFigures.Rows("n1", 800, 2), new GrowthFigures.Rows("n4", 400, 1)),
                40_000);

        assertThat(growth.part(growth.rows().get(0))).isEqualTo(1, within(1e-9));
        assertThat(growth.greatestPart()).isEqualTo(1, within(1e-9));
        assertThat(growth.movedRatio()).isEqualTo(1, within(1e-9));
    }

    @Test
    void everyBoundCounts() {
        GrowthFigures.Tails slow = new GrowthFigures.Tails(List.of(10.0), List.of(30.0), List.of(), List.of(10.0));
        GrowthFigures.Tails none = new GrowthFigures.Tails(List.of(10.0), List.of(), List.of(), List.of(10.0));
        List<GrowthFigures.Rows> uneven = List.of(rows("n1", 360), rows("n2", 300), rows("n3", 300), rows("n4", 240));

        assertThat(List.of(
                        figures(slow, 0, 400, EVEN, 29_000),
                        figures(none, 0, 400, EVEN, 29_000),
                        figures(CALM, 1, 400, EVEN, 29_000),
                        figures(CALM, 0, 399, EVEN, 29_000),
                        figures(CALM, 0, 400, uneven, 29_000),
                        figures(CALM, 0, 400, EVEN, 40_000)))
                .allSatisfy(growth -> assertThat(growth.conclusion(false)).startsWith("Not within all bounds: "));
    }

    @Test
    void theConclusionSaysThatItsLatenciesAreDoubted() {
        assertThat(figures(CALM, 0, 400, EVEN, 29_000).conclusion(true)).contains("the latencies are doubted");
    }
}
