package io.dht4j.benchmarks.scenario.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CommonRateTest {

    @Test
    void isAPartOfTheLeastStableLoadRoundedDown() {
        assertThat(CommonRate.of(List.of(9_000.0, 3_472.2, 12_345.6))).hasValue(2_400);
        assertThat(CommonRate.of(List.of(100_000.0))).hasValue(70_000);
        assertThat(CommonRate.of(List.of(10.0))).hasValue(7);
    }

    @Test
    void aVariantWithoutAStableLoadDoesNotLowerIt() {
        assertThat(CommonRate.of(List.of(0.0, 3_000.0))).hasValue(2_100);
    }

    @Test
    void thereIsNoneIfNoVariantHasAStableLoad() {
        assertThat(CommonRate.of(List.of(0.0, 0.0))).isEmpty();
    }
}
