package io.dht4j.core.internal.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogIntervalTest {

    @Test
    void oneLineInTenSecondsIsLogged() {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
        LogInterval interval = new LogInterval(now::get);
        assertThat(interval.begin()).isTrue();
        now.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
        assertThat(interval.begin()).isFalse();
        now.addAndGet(1);
        assertThat(interval.begin()).isTrue();
        assertThat(interval.begin()).isFalse();
    }
}
