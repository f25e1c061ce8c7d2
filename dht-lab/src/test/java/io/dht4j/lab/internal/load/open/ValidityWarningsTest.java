package io.dht4j.lab.internal.load.open;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.lab.internal.counters.StolenTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ValidityWarningsTest {

    private final ValidityWarnings doubts = new ValidityWarnings();

    @Test
    void aCalmRunHasNone() {
        doubts.stolen(StolenTime.MUCH_PERCENT);
        doubts.gc(50, 1000);
        doubts.lateness(ValidityWarnings.LATENESS_P99_MICROS, 0);
        doubts.lateness(2000, 10_000);
        doubts.waits(ValidityWarnings.LATENESS_P99_MICROS, 0);
        doubts.waits(2000, 10_000);
        doubts.clocks(10_000, 10_100);
        doubts.clocks(0, 2);
        doubts.tooLate(0, Duration.ofSeconds(1));
        doubts.neverEnded(0);
        doubts.absent(1, 100);
        doubts.absent(0, 0);

        assertThat(doubts.found()).isEmpty();
        assertThat(doubts.foundOfLatency()).isEmpty();
    }

    @Test
    void aSystemThatDoesNotTellOfStolenTimeIsNotDoubted() {
        doubts.stolen(-1);

        assertThat(doubts.found()).isEmpty();
    }

    @Test
    void eachExcessIsNamedWithItsFigure() {
        doubts.stolen(5.1);
        doubts.gc(51, 1000);
        doubts.lateness(2000, 9_999);
        doubts.waits(3000, 9_999);
        doubts.connectionWaits(4000, 9_999);
        doubts.clocks(10_000, 10_103);
        doubts.clocks(10_000, 9_897);
        doubts.tooLate(1, Duration.ofSeconds(1));
        doubts.tooLate(3, Duration.ofMillis(250));
        doubts.neverEnded(2);
        doubts.absent(2, 100);

        assertThat(doubts.found())
                .containsExactly(
                        "5.1 % of the processors' time went to others on this host",
                        "the generator's garbage collector stopped it for 5.1 % of the time",
                        "by the clock on the wall the operations were begun in 10,103 ms, not in the intended "
                                + "10,000 ms:"
                                + " the rate was another one",
                        "by the clock on the wall the operations were begun in 9,897 ms, not in the intended 10,000 ms:"
                                + " the rate was another one",
                        "the generator was more than 1 s late for 1 operations and left them out",
                        "the generator was more than 250 ms late for 3 operations and left them out",
                        "2 operations had not ended when the run was given up",
                        "2.0 % of the reads found nothing");
        assertThat(doubts.foundOfLatency())
                .containsExactly(
                        "the generator began 1 % of the operations more than 2,000 µs after their time, which is "
                                + "much of the"
                                + " 9,999 µs that 1 % took",
                        "1 % of the operations waited more than 3,000 µs for the generator's own client, which "
                                + "is much of the"
                                + " 9,999 µs that 1 % took",
                        "1 % of the operations waited more than 4,000 µs for a free connection, which is much of the "
                                + "9,999 µs that 1 % took: the load needs more connections, or the nodes are "
                                + "overloaded");
    }
}
