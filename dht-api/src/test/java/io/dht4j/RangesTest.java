package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void bothEndsOfARangeBelongToIt() {
        assertThatCode(() -> {
                    Ranges.require("n", 1, 1, 2);
                    Ranges.require("n", 2, 1, 2);
                    Ranges.require("share", 0.0, 0.0, 1.0);
                    Ranges.require("share", 1.0, 0.0, 1.0);
                    Ranges.require("time", SECOND, SECOND, SECOND);
                })
                .doesNotThrowAnyException();
    }

    @Test
    void aRefusalNamesOptionRangeAndValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.require("n", 0, 1, 2))
                .withMessage("n must be 1 to 2, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.require("n", 3L << 40, 1, 2))
                .withMessage("n must be 1 to 2, not 3298534883328");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.require("share", Double.NaN, 0.0, 1.0))
                .withMessage("share must be 0.0 to 1.0, not NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.require("time", Duration.ZERO, SECOND, Duration.ofHours(1)))
                .withMessage("time must be 1s to 1h, not 0s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.requireReplicas("from", 0, 3))
                .withMessage("from must be 1 to 3, the number of nodes, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ranges.requireReplicas("from", 2, 1))
                .withMessage("from must be 1, since there is one node, not 2");
    }

    @Test
    void timesAreWrittenAsPeopleDo() {
        assertThat(List.of(
                        Duration.ofDays(2),
                        Duration.ofHours(36),
                        Duration.ofSeconds(90),
                        Duration.ofMillis(1_500),
                        Duration.ofMillis(-1),
                        Duration.ofNanos(1),
                        Duration.ofSeconds(Long.MAX_VALUE, 1_000_000)))
                .map(Ranges::text)
                .containsExactly(
                        "2d", "36h", "90s", "1500ms", "-1ms", "PT0.000000001S", "PT2562047788015215H30M7.001S");
    }
}
