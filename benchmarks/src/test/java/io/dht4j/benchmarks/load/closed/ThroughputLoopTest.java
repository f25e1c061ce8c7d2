package io.dht4j.benchmarks.load.closed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("portable")
class ThroughputLoopTest {

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void anOperationThatCannotEvenBeBegunEndsTheRunAndIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> ThroughputLoop.run(3, 0.5, slot -> {
                    if (slot == 0) {
                        throw new IllegalArgumentException("no such key");
                    }
                    return CompletableFuture.completedFuture(slot);
                }))
                .withMessageContaining("no such key");
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void operationsThatEndAtOnceDoNotStayOnAThreadThatOthersWaitFor() throws Exception {
        ExecutorService library = Executors.newSingleThreadExecutor(task -> new Thread(task, "library"));
        AtomicInteger begun = new AtomicInteger();
        AtomicBoolean asked = new AtomicBoolean();
        CompletableFuture<Void> served = new CompletableFuture<>();
        AtomicBoolean servedInTheRun = new AtomicBoolean();
        try {
            ThroughputLoop.run(8, 3, slot -> {
                int number = begun.incrementAndGet();
                if (number <= 8) {
                    return CompletableFuture.runAsync(() -> {}, library);
                }
                if (number > 1000
                        && !Thread.currentThread().getName().equals("library")
                        && asked.compareAndSet(false, true)) {
                    return CompletableFuture.runAsync(() -> served.complete(null), library);
                }
                if (served.isDone()) {
                    servedInTheRun.set(true);
                }
                return CompletableFuture.completedFuture(slot);
            });

            assertThat(servedInTheRun).isTrue();
        } finally {
            library.shutdownNow();
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void everySlotHasItsTurnThoughOperationsEndAtOnce() throws Exception {
        Set<Integer> seen = ConcurrentHashMap.newKeySet();

        int slots = 4 * Runtime.getRuntime().availableProcessors();

        ThroughputLoop.run(slots, 2, slot -> {
            seen.add(slot);
            return CompletableFuture.completedFuture(slot);
        });

        assertThat(seen).hasSize(slots);
    }
}
