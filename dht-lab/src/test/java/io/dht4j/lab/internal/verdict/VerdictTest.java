package io.dht4j.lab.internal.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class VerdictTest {

    @Test
    void threeRepetitionsCannotTellHoweverFarApart() {
        assertThat(Verdict.of(List.of(1.0, 2.0, 3.0), List.of(1e6, 2e6, 3e6)).verdict())
                .isEqualTo(Verdict.CANNOT_TELL);
        assertThat(Verdict.of(List.of(1.0), values(45, 1e6, 1)).verdict()).isEqualTo(Verdict.GREATER);
        assertThat(Verdict.of(List.of(1.0), List.of(5.0)).verdict()).isEqualTo(Verdict.CANNOT_TELL);
    }

    @Test
    void fourThatLieWhollyApartTell() {
        List<Double> low = List.of(1.0, 2.0, 3.0, 4.0);
        List<Double> high = List.of(5.0, 6.0, 7.0, 8.0);

        // Two of the 70 orders are as extreme.
        assertThat(Verdict.of(low, high).probability()).isCloseTo(2.0 / 70, within(1e-9));
        assertThat(Verdict.of(low, high).verdict()).isEqualTo(Verdict.GREATER);
        assertThat(Verdict.of(high, low).verdict()).isEqualTo(Verdict.SMALLER);
    }

    @Test
    void valuesAmongEachOtherAreNoise() {
        assertThat(Verdict.of(List.of(1.0, 3.0, 5.0, 7.0, 9.0), List.of(2.0, 4.0, 6.0, 8.0, 10.0))
                        .verdict())
                .isEqualTo(Verdict.WITHIN_NOISE);
    }

    @Test
    void theSameValuesEverywhereAreNoise() {
        List<Double> same = List.of(5.0, 5.0, 5.0, 5.0, 5.0);

        assertThat(Verdict.of(same, same).verdict()).isEqualTo(Verdict.WITHIN_NOISE);
    }

    @Test
    void chanceIsTakenForADifferenceInAbout5Of100Cases() {
        SplittableRandom random = new SplittableRandom(7);
        int differing = 0;
        for (int i = 0; i < 2_000; i++) {
            List<Double> a = random.doubles(7).boxed().toList();
            List<Double> b = random.doubles(7).boxed().toList();
            Verdict verdict = Verdict.of(a, b).verdict();
            differing += verdict == Verdict.GREATER || verdict == Verdict.SMALLER ? 1 : 0;
        }

        assertThat(differing).isBetween(40, 100);
    }

    @Test
    void manyRepetitionsAreJudgedToo() {
        assertThat(Verdict.of(values(300, 100, 1), values(300, 120, 2)).verdict())
                .isEqualTo(Verdict.GREATER);
    }

    private static List<Double> values(int count, double about, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(about * (0.8 + 0.4 * random.nextDouble()));
        }
        return values;
    }
}
