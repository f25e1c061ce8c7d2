package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.TransportException;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TransportLifecycleTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final AtomicInteger starts = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();

    private static TransportLifecycle lifecycle() {
        return new TransportLifecycle("here:1", true, task -> new Thread(task, "dht4j-test-start"));
    }

    @Test
    void startAndEndHappenOnce() {
        TransportLifecycle lifecycle = lifecycle();
        assertThat(lifecycle.start(starts::incrementAndGet).toCompletableFuture())
                .succeedsWithin(PATIENCE);
        assertFails(lifecycle.start(starts::incrementAndGet), "the transport for here:1 is started already");
        assertThat(lifecycle.isClosed()).isFalse();
        lifecycle.close(PATIENCE, ends::incrementAndGet);
        lifecycle.close(PATIENCE, ends::incrementAndGet);
        assertThat(lifecycle.isClosed()).isTrue();
        assertFails(lifecycle.start(starts::incrementAndGet), "the transport for here:1 is closed");
        assertThat(starts).hasValue(1);
        assertThat(ends).hasValue(1);
    }

    @Test
    void nothingStartsAfterTheEnd() {
        TransportLifecycle lifecycle = lifecycle();
        lifecycle.close(PATIENCE, ends::incrementAndGet);
        assertFails(lifecycle.start(starts::incrementAndGet), "the transport for here:1 is closed");
        assertThat(starts).hasValue(0);
        assertThat(ends).hasValue(1);
    }

    @Test
    void theEndComesAfterAStartThatItHasOvertaken() throws Exception {
        TransportLifecycle lifecycle = lifecycle();
        CompletableFuture<Void> held = new CompletableFuture<>();
        CompletionStage<Void> starting = lifecycle.start(() -> {
            held.join();
            starts.incrementAndGet();
        });
        AtomicInteger startsBeforeTheEnd = new AtomicInteger();
        CompletableFuture<Void> closing =
                CompletableFuture.runAsync(() -> lifecycle.close(PATIENCE, () -> startsBeforeTheEnd.set(starts.get())));
        while (!lifecycle.isClosed()) {
            Thread.onSpinWait();
        }
        held.complete(null);
        closing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(startsBeforeTheEnd).hasValue(1);
        assertFails(starting, "the transport was closed while it started");
    }

    @Test
    void aFailedStartNamesAddressAndReasonAndEndsAllTheSame() {
        TransportLifecycle lifecycle = lifecycle();
        CompletionStage<Void> starting = lifecycle.start(() -> {
            throw new IOException("cannot bind", new BindException("the reason"));
        });
        assertFails(starting, "cannot listen on here:1: the reason");
        lifecycle.close(PATIENCE, ends::incrementAndGet);
        assertThat(ends).hasValue(1);
    }

    @Test
    void aStartWithoutAThreadFailsAndEndsAllTheSame() {
        TransportLifecycle lifecycle = new TransportLifecycle("here:1", true, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        assertFails(
                lifecycle.start(starts::incrementAndGet), "cannot listen on here:1: unable to create native thread");
        lifecycle.close(PATIENCE, ends::incrementAndGet);
        assertThat(starts).hasValue(0);
        assertThat(ends).hasValue(1);
    }

    private static void assertFails(CompletionStage<Void> stage, String why) {
        assertThat(stage.toCompletableFuture())
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(TransportException.class)
                .withMessage(why);
    }
}
