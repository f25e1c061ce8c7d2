package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BoundedWaitTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    @Test
    void aFutureIsDoneWithAValueOrAnError() {
        assertThat(BoundedWait.upTo(LONG, CompletableFuture.completedFuture(1))).isTrue();
        assertThat(BoundedWait.upTo(LONG, CompletableFuture.failedFuture(new IllegalStateException())))
                .isTrue();
        assertThat(BoundedWait.upTo(SHORT, new CompletableFuture<>())).isFalse();
    }

    @Test
    void anInterruptIsRestoredAndDoesNotEndTheWait() {
        CountDownLatch event = new CountDownLatch(1);
        Thread.currentThread().interrupt();
        new Thread(event::countDown).start();
        boolean came = BoundedWait.upTo(LONG, event::await);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(came).isTrue();
        assertThat(BoundedWait.until(System.nanoTime(), new CountDownLatch(1)::await))
                .isFalse();
    }
}
