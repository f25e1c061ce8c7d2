package io.dht4j.core.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Backoff DOUBLING = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(10));

    private static long[] millis(Backoff backoff, int waits) {
        return IntStream.range(0, waits)
                .mapToLong(failures -> Duration.ofNanos(backoff.nanos(failures)).toMillis())
                .toArray();
    }

    @Test
    void waitsDoubleFromTheBaseToTheCap() {
        assertThat(millis(DOUBLING, 8)).containsExactly(200, 400, 800, 1600, 3200, 6400, 10_000, 10_000);
    }

    @Test
    void waitsGrowByAnyFactor() {
        assertThat(millis(new Backoff(1_000_000, 20_000_000, 3, 0), 4)).containsExactly(1, 3, 9, 20);
        assertThat(millis(new Backoff(5_000_000, 20_000_000, 1, 0), 3)).containsExactly(5, 5, 5);
    }

    @Test
    void noNumberOfFailuresExceedsTheCap() {
        assertThat(IntStream.of(62, 63, 64, 1_000, 1_100, Integer.MAX_VALUE).mapToLong(DOUBLING::nanos))
                .containsOnly(DOUBLING.capNanos());
        assertThat(new Backoff(1, Long.MAX_VALUE, 2, 0).nanos(Integer.MAX_VALUE))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void jitterShortensAWaitByAtMostItsPart() {
        SplittableRandom random = new SplittableRandom(1);
        Backoff backoff = DOUBLING.withJitter(0.5);
        List<Long> waits =
                Stream.generate(() -> backoff.nanos(2, random)).limit(1_000).toList();
        long longest = Duration.ofMillis(800).toNanos();

        assertThat(waits).allMatch(wait -> wait >= longest / 2 && wait <= longest);
        // Chance reaches both ends of the range.
        assertThat(waits).anyMatch(wait -> wait < longest / 100 * 55).anyMatch(wait -> wait > longest / 100 * 95);
    }

    @Test
    void withoutJitterChanceChangesNothing() {
        assertThat(DOUBLING.nanos(3, new SplittableRandom(1))).isEqualTo(DOUBLING.nanos(3));
    }

    @Test
    void theSameChanceGivesTheSameWaits() {
        Backoff backoff = DOUBLING.withJitter(1);
        SplittableRandom one = new SplittableRandom(7);
        SplittableRandom other = new SplittableRandom(7);

        for (int failures = 0; failures < 20; failures++) {
            assertThat(backoff.nanos(failures, one)).isEqualTo(backoff.nanos(failures, other));
        }
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.doubling(Duration.ZERO, Duration.ofSeconds(1)))
                .withMessageContaining("1 <= base <= cap");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.doubling(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .withMessageContaining("cap=1000000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(1, 2, 0.5, 0))
                .withMessageContaining("at least 1, not 0.5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(1, 2, Double.NaN, 0))
                .withMessageContaining("at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DOUBLING.withJitter(1.5))
                .withMessageContaining("0 to 1, not 1.5");
    }
}
