package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallContextTest {

    private long now = Long.MAX_VALUE - 5; // so that the deadline lies beyond the overflow

    @Test
    void theDeadlineIsMeasuredAcrossAnOverflowOfTheClock() {
        CallContext context = new CallContext(() -> now, 10);
        assertThat(context.remainingNanos()).isEqualTo(10);
        assertThat(context.isExpired()).isFalse();
        now += 9;
        assertThat(context.isExpired()).isFalse();
        now += 1;
        assertThat(context.remainingNanos()).isZero();
        assertThat(context.isExpired()).isTrue();
    }

    @Test
    void cancellingRunsEveryActionOnceEvenIfOneThrows() {
        CallContext context = new CallContext(() -> now, 10);
        List<String> ran = new ArrayList<>();
        context.onCancel(() -> ran.add("first"));
        context.onCancel(() -> {
            throw new IllegalStateException("no");
        });
        context.onCancel(() -> ran.add("second"));
        assertThat(context.isCancelled()).isFalse();

        context.cancel();
        context.cancel();
        context.onCancel(() -> ran.add("late"));

        assertThat(context.isCancelled()).isTrue();
        assertThat(ran).containsExactlyInAnyOrder("first", "second", "late");
        assertThat(ran).last().isEqualTo("late");
    }

    @Test
    void actionsRegisteredDuringACancelRunOnce() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            CallContext context = new CallContext(() -> now, 10);
            AtomicInteger ran = new AtomicInteger();
            Thread canceller = new Thread(context::cancel);
            canceller.start();
            for (int i = 0; i < 50; i++) {
                context.onCancel(ran::incrementAndGet);
            }
            canceller.join();

            assertThat(ran).hasValue(50);
        }
    }
}
