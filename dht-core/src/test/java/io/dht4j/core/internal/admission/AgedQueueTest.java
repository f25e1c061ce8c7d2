package io.dht4j.core.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.admission.AgedQueue.Taken;
import io.dht4j.core.options.OverloadProtection.QueueAges;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AgedQueueTest {

    /** Anywhere, so that moments are compared as they must be. */
    private static final long START = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

    private final AgedQueue<Integer> queue =
            new AgedQueue<>(new QueueAges(Duration.ofMillis(1000), Duration.ofMillis(200)));

    private static long at(long millis) {
        return START + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private Taken<Integer> takeOne(long millis) {
        return queue.take(at(millis), work -> 1, 1);
    }

    @Test
    void queueIsFirstInFirstOutUntilItIsStanding() {
        queue.add(List.of(1, 2), at(0));
        assertThat(takeOne(900).work()).containsExactly(1);
        assertThat(takeOne(999)).isEqualTo(new Taken<>(List.of(2), List.of()));
        assertThat(takeOne(999)).isEqualTo(new Taken<>(List.of(), List.of()));
        queue.add(List.of(3), at(1000));
        assertThat(takeOne(1999)).as("older than in a standing queue").isEqualTo(new Taken<>(List.of(3), List.of()));
    }

    @Test
    void aStandingQueueGivesUpWhatIsOldAndBeginsWithTheNewest() {
        for (int i = 0; i <= 12; i++) {
            queue.add(List.of(2 * i, 2 * i + 1), at(100L * i));
            if (i < 11) {
                assertThat(takeOne(100L * i)).isEqualTo(new Taken<>(List.of(i), List.of()));
            }
        }
        Taken<Integer> taken = takeOne(1201);

        assertThat(taken.work()).containsExactly(25);
        assertThat(taken.tooOld()).containsExactly(11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21);
        assertThat(takeOne(1202)).as("nothing is too old any more").isEqualTo(new Taken<>(List.of(22), List.of()));
    }

    @Test
    void thatNothingWasTakenForLongIsForgivenOnce() {
        queue.add(List.of(1, 2, 3, 4), at(0));
        assertThat(takeOne(5000)).isEqualTo(new Taken<>(List.of(1), List.of()));
        assertThat(takeOne(6000)).isEqualTo(new Taken<>(List.of(2), List.of()));
        assertThat(takeOne(7001)).isEqualTo(new Taken<>(List.of(), List.of(3, 4)));
    }

    @Test
    void workIsTakenUntilThereIsNoRoomAndOnePieceAtLeast() {
        queue.add(List.of(50, 30, 20, 1), at(0));
        assertThat(queue.take(at(1), Integer::longValue, 10).work()).containsExactly(50);
        assertThat(queue.take(at(1), Integer::longValue, 40).work()).containsExactly(30, 20);
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.take(at(1), Integer::longValue, 40).work()).containsExactly(1);
        assertThat(queue.isEmpty()).isTrue();
    }
}
