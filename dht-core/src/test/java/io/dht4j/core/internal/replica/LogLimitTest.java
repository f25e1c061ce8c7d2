package io.dht4j.core.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogLimitTest {

    /** Near its end, so that it overflows. */
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);

    private final LogLimit limit = new LogLimit(clock::get);

    @Test
    void repeatedMessagesAreCountedDuringThePause() {
        assertThat(limit.next()).hasValue(0);
        assertThat(limit.next()).isEmpty();
        clock.addAndGet(LogLimit.PAUSE_NANOS - 1);
        assertThat(limit.next()).isEmpty();
        clock.incrementAndGet();
        assertThat(limit.next()).hasValue(2);
        assertThat(limit.next()).isEmpty();
        clock.addAndGet(LogLimit.PAUSE_NANOS);
        assertThat(limit.next()).hasValue(1);
    }
}
