package io.dht4j.benchmarks.scenario.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SoakTest {

    private static final List<Double> LOW = List.of(10.0, 11.0, 12.0, 13.0, 14.0);
    private static final List<Double> HIGH = List.of(20.0, 21.0, 22.0, 23.0, 24.0);

    @Test
    void aTailThatGrowsIsToldFromOneThatDoesNot() {
        assertThat(Soak.verdict(LOW, HIGH)).contains("it grew");
        assertThat(Soak.verdict(HIGH, LOW)).contains("it did not grow");
        assertThat(Soak.verdict(LOW, List.of(10.5, 11.5, 12.5, 13.5, 14.5))).contains("not shown");
        assertThat(Soak.verdict(LOW.subList(0, 2), HIGH.subList(0, 2))).contains("is unclear from so few parts");
    }
}
