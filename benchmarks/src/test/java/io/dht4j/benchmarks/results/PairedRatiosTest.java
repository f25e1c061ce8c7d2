package io.dht4j.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PairedRatiosTest {

    @Test
    void eachPairHasARatio() {
        PairedRatios ratios = PairedRatios.of(List.of(2.0, 9.0, 5.0), List.of(1.0, 3.0, 5.0));

        assertThat(ratios.values()).containsExactly(2.0, 3.0, 1.0);
        assertThat(ratios.spread()).isEqualTo(new Spread(2, 1, 3));
    }

    @Test
    void theRangeOfTheMedianIsNarrowerThanThatOfAllPairs() {
        List<Double> values =
                IntStream.rangeClosed(1, 20).mapToObj(i -> (double) i).toList();

        Spread median = PairedRatios.of(values, Collections.nCopies(20, 1.0)).ofMedian();

        assertThat(median).isEqualTo(new Spread(10.5, 5, 16));
    }

    @Test
    void onePairIsItsOwnRange() {
        assertThat(PairedRatios.of(List.of(3.0), List.of(2.0)).ofMedian()).isEqualTo(new Spread(1.5, 1.5, 1.5));
    }

    @Test
    void valuesThatAreNoPairsAreRefused() {
        assertThatThrownBy(() -> PairedRatios.of(List.of(1.0), List.of())).hasMessage("1 and 0 values are no pairs");
        assertThatThrownBy(() -> PairedRatios.of(List.of(), List.of())).hasMessage("there is no pair");
    }
}
