package io.dht4j.benchmarks.scenario.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfirmationRunTest {

    private final List<Integer> looks = new ArrayList<>();

    private boolean noted(int percent, boolean held) {
        looks.add(percent);
        return held;
    }

    @Test
    void oneThatHoldsAtOnceIsNotRepeated() throws Exception {
        assertThat(ConfirmationRun.until(percent -> noted(percent, true))).hasValue(100);
        assertThat(looks).containsExactly(100);
    }

    @Test
    void noiseIsGivenASecondChanceAndASmallerPartIsLookedAtOnlyThen() throws Exception {
        assertThat(ConfirmationRun.until(percent -> noted(percent, looks.size() == 1)))
                .hasValue(100);
        assertThat(looks).containsExactly(100, 100);
        looks.clear();
        assertThat(ConfirmationRun.until(percent -> noted(percent, percent < 100)))
                .hasValue(90);
        assertThat(looks).containsExactly(100, 100, 90);
    }

    @Test
    void oneThatHoldsNowhereEnds() throws Exception {
        assertThat(ConfirmationRun.until(percent -> noted(percent, false))).isEmpty();
        assertThat(looks).containsExactly(100, 100, 90, 90, 75, 75);
    }
}
