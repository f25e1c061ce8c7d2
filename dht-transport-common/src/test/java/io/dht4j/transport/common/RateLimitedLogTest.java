package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitedLogTest {

    /** Near its end, so that it overflows. */
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);

    private final List<String> lines = new ArrayList<>();
    private final RateLimitedLog log = new RateLimitedLog(lines::add, clock::get);

    @Test
    void linesDuringThePauseAreCountedOnly() {
        log.log(() -> "first");
        log.log(() -> "second");
        clock.addAndGet(RateLimitedLog.PAUSE_NANOS - 1);
        log.log(() -> {
            throw new AssertionError("made in vain");
        });
        clock.incrementAndGet();
        log.log(() -> "fourth");
        clock.addAndGet(RateLimitedLog.PAUSE_NANOS);
        log.log(() -> "fifth");
        assertThat(lines).containsExactly("first", "fourth (and 2 more since the last such line)", "fifth");
    }

    @Test
    void lineThatThereIsNoMemoryForIsCountedAsOmitted() {
        log.log(() -> "first");
        log.log(() -> "second");
        clock.addAndGet(RateLimitedLog.PAUSE_NANOS);
        log.log(() -> {
            throw new OutOfMemoryError("simulated");
        });
        clock.addAndGet(RateLimitedLog.PAUSE_NANOS);
        log.log(() -> "fourth");
        assertThat(lines).containsExactly("first", "fourth (and 2 more since the last such line)");
    }
}
