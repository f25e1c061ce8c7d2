package io.dht4j.benchmarks.process.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.Operation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadSharesTest {

    private static final LoadSpec WHOLE = new LoadSpec(Operation.PUT, 3000, 1, 2, 100, 64, 1, 7, 500);

    @Test
    void partsOfALoadOfferItsRateKeysAndBoundTogether() {
        List<LoadSpec> parts = LoadShares.split(WHOLE, 3);

        assertThat(parts).extracting(LoadSpec::perSecond).containsOnly(1000.0);
        assertThat(parts).extracting(LoadSpec::keys).containsExactly(34L, 33L, 33L);
        assertThat(parts.stream().mapToInt(LoadSpec::maxInFlight).sum()).isEqualTo(64);
        assertThat(parts).allSatisfy(part -> {
            assertThat(part.seconds()).isEqualTo(WHOLE.seconds());
            assertThat(part.warmUpSeconds()).isEqualTo(WHOLE.warmUpSeconds());
            assertThat(part.sendEveryMicros()).isEqualTo(WHOLE.sendEveryMicros());
        });
        assertThat(parts).extracting(LoadSpec::seed).doesNotHaveDuplicates();
        assertThat(LoadShares.split(WHOLE.withSeed(8), 3))
                .extracting(LoadSpec::seed)
                .doesNotContainAnyElementsOf(parts.stream().map(LoadSpec::seed).toList());
    }

    @Test
    void mergedPercentilesAreThoseOfAllOperations() {
        // The median of both is neither the first one's, 1 ms, nor the second one's, 9 ms.
        LoadResult slow = result(times(9_000_000, 100), 0, Map.of(), -1, 10, List.of());
        LoadResult fast = result(times(1_000_000, 900), 0, Map.of(), -1, 10, List.of());
        Histogram all = times(9_000_000, 100);
        all.add(times(1_000_000, 900));

        LoadResult merged = LoadShares.merge(WHOLE, List.of(slow, fast));

        assertThat(merged.latency().decode()).isEqualTo(Latency.of(all).decode());
        assertThat(merged.latency().micros(89)).isLessThan(1_010);
        assertThat(merged.latency().micros(91)).isGreaterThan(8_900);
        assertThat(merged.spec()).isEqualTo(WHOLE);
        assertThat(merged.served()).isEqualTo(1000);
        assertThat(merged.offered()).isEqualTo(1000);
    }

    @Test
    void countsAreAddedAndTheWorstConditionsAndAllDoubtsStay() {
        LoadResult quiet = result(times(1_000, 10), 2, Map.of("timeout", 1L, "HTTP 503", 1L), 1, 20, List.of());
        LoadResult late = result(times(1_000, 20), 1, Map.of("timeout", 1L), 3, 2000, List.of("late"));

        LoadResult merged = LoadShares.merge(WHOLE, List.of(quiet, late));

        assertThat(merged.failed()).isEqualTo(3);
        assertThat(merged.errors()).isEqualTo(Map.of("timeout", 2L, "HTTP 503", 1L));
        assertThat(merged.absent()).isEqualTo(2);
        assertThat(merged.latencyByKind()).containsOnlyKeys("get");
        assertThat(merged.latencyByKind().get("get").decode())
                .isEqualTo(merged.latency().decode());
        assertThat(merged.conditions().stolenPercent()).isEqualTo(3);
        assertThat(merged.conditions().latenessP99Micros()).isEqualTo(2000);
        assertThat(merged.conditions().doubts()).containsExactly("load process 2: late");
        assertThat(merged.conditions().latencyDoubts()).containsExactly("load process 2: late");
    }

    @Test
    void rareErrorsBeyondTheBoundAreCountedTogether() {
        Map<String, Long> first = new HashMap<>();
        Map<String, Long> second = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            first.put("first " + i, 2L);
            second.put("second " + i, 1L);
        }
        first.remove("first 0");
        first.put("other", 5L);

        Map<String, Long> merged = LoadShares.merge(
                        WHOLE,
                        List.of(
                                result(times(1, 1), 43, first, 0, 0, List.of()),
                                result(times(1, 1), 20, second, 0, 0, List.of())))
                .errors();

        assertThat(merged).hasSize(20).containsEntry("other", 25L);
        assertThat(merged.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(43 + 20);
    }

    private static Histogram times(long nanos, int count) {
        Histogram histogram = Latency.emptyHistogram();
        for (int i = 0; i < count; i++) {
            histogram.recordValue(nanos + i);
        }
        return histogram;
    }

    private static LoadResult result(
            Histogram latency,
            long failed,
            Map<String, Long> errors,
            double stolen,
            double lateness,
            List<String> doubts) {
        long served = latency.getTotalCount();
        return new LoadResult(
                WHOLE,
                2,
                served + failed,
                served,
                failed,
                0,
                1,
                errors,
                Latency.of(latency),
                Map.of("get", Latency.of(latency)),
                new Conditions(stolen, 0, lateness, doubts, doubts));
    }
}
