package io.dht4j.benchmarks.scenario.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Counts the costs of recorded loads. */
class CostRunsTest {

    private static final double RATE = 2_000;
    private static final long OFFERED = 4_000;
    private static final LoadSpec SPEC = new LoadSpec(Operation.PUT, RATE, 0, 2, 100, 64, 1, 1);
    private static final StableLoadSpec BOUNDS = StableLoadSpec.from(SPEC);

    private final VariantResults results = new VariantResults("the nodes");
    private final List<Long> runs = new ArrayList<>();

    private CostRuns.Counted run(long served) {
        return run(served, 0);
    }

    private CostRuns.Counted run(long served, long compilerMicros) {
        return run(served, compilerMicros, new Conditions(0, 0, 0, List.of(), List.of()));
    }

    private CostRuns.Counted run(long served, long compilerMicros, Conditions conditions) {
        runs.add(served);
        Histogram latency = new Histogram(3);
        latency.recordValue(1_000_000);
        return new CostRuns.Counted(
                new LoadResult(
                        SPEC,
                        2,
                        OFFERED,
                        served,
                        0,
                        OFFERED - served,
                        0,
                        Map.of(),
                        Latency.of(latency),
                        Map.of(),
                        conditions),
                new Counters(
                        compilerMicros == 0
                                ? Map.of(Cost.CPU_MICROS, 50 * served)
                                : Map.of(Cost.CPU_MICROS, 50 * served, Cost.COMPILER_MICROS, compilerMicros)));
    }

    private Measurement measurement() {
        return results.measurement("PUT", ServerVariant.of("vertx", 2, 1, 1));
    }

    @Test
    void costsHaveTheRateThatWasOffered() throws Exception {
        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED));

        assertThat(runs).hasSize(1);
        assertThat(measurement().costRate()).isEqualTo(RATE);
        assertThat(measurement().costs()).containsExactly(Map.entry(Cost.CPU_MICROS.label(), List.of(50.0)));
        assertThat(measurement().values()).containsExactly(RATE);
        assertThat(measurement().levels())
                .singleElement()
                .satisfies(level -> assertThat(level.result().spec()).isEqualTo(SPEC));
        assertThat(measurement().doubts()).isEmpty();
    }

    @Test
    void aRunThatFailsOnceIsRepeatedAtTheSameRate() throws Exception {
        CostRuns.counted(BOUNDS, RATE, results, () -> run(runs.isEmpty() ? OFFERED / 2 : OFFERED));

        assertThat(runs).containsExactly(OFFERED / 2, OFFERED);
        assertThat(measurement().costs().get(Cost.CPU_MICROS.label())).containsExactly(50.0);
        assertThat(measurement().doubts()).isEmpty();
    }

    @Test
    void costsAreNotDoubtedForTheGeneratorsDelays() throws Exception {
        Conditions late = new Conditions(0, 0, 2000, List.of(), List.of("late"));

        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED, 0, late));

        assertThat(measurement().doubts()).isEmpty();
        assertThat(measurement().doubtsOfValues()).isEmpty();
        assertThat(measurement().doubtsOf(measurement().levels().get(0))).containsExactly("late");

        Conditions stolen = new Conditions(9, 0, 0, List.of("stolen"), List.of());
        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED, 0, stolen));

        assertThat(measurement().doubtsOfCosts()).containsExactly(Measurement.OF_THE_COSTS + "stolen");
    }

    @Test
    void costsAreDoubtedIfTheCompilersWereBusyInMostCounts() throws Exception {
        // Two seconds each: 15 % of a processor, then 3 %, then 30 %.
        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED, 300_000));
        assertThat(measurement().doubtsOfCosts())
                .containsExactly("while it was measured the compilers of the nodes were still at work, with"
                        + " 15 % of a processor together");
        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED, 60_000));
        assertThat(measurement().doubts()).isEmpty();
        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED, 600_000));
        assertThat(measurement().doubts()).singleElement().asString().contains("with 15 % of a processor");
        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED, 60_000));
        assertThat(measurement().doubts()).isEmpty();
        assertThat(measurement().costs().get(Cost.CPU_MICROS.label())).containsExactly(50.0, 50.0, 50.0, 50.0);
    }

    @Test
    void aVariantThatCannotHoldTheRateIsDoubted() throws Exception {
        CostRuns.counted(BOUNDS, RATE, results, () -> run(OFFERED / 2));

        assertThat(runs).hasSize(CostRuns.TRIES);
        assertThat(measurement().costRate()).isEqualTo(RATE);
        assertThat(measurement().doubtsOfCosts())
                .singleElement()
                .asString()
                .startsWith("it did not hold 2,000 operations/s (50")
                .endsWith(" while the costs were counted");
    }
}
