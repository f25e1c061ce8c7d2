package io.dht4j.benchmarks.load.closed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThroughputLoopTest {

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aRunOfWhichMoreThanOneInAHundredFailsHasNoResult() {
        assertThatIllegalStateException()
                .isThrownBy(() -> ThroughputLoop.run(3, 600, slot -> {
                    if (slot == 0) {
                        throw new IllegalArgumentException("no such key");
                    }
                    return CompletableFuture.completedFuture(slot);
                }))
                .withMessageContaining("operations failed")
                .withMessageContaining("no such key");
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void fewFailuresAreCountedAndTheirSlotsContinue() throws Exception {
        AtomicInteger begun = new AtomicInteger();

        ThroughputLoop.Result result = ThroughputLoop.run(2, 0.5, slot -> {
            if (begun.incrementAndGet() % 200 != 0) {
                return CompletableFuture.completedFuture(slot);
            }
            return CompletableFuture.failedFuture(new CompletionException(new IllegalStateException("over\nloaded")));
        });

        assertThat(result.failed()).isPositive().isEqualTo(begun.get() / 200);
        assertThat(result.operations()).isEqualTo(begun.get() - result.failed());
        assertThat(result.firstFailure()).contains("over\\nloaded").doesNotContain("CompletionException");
    }

    @ParameterizedTest
    @CsvSource({"1, 999, false", "2, 998, true", "0, 0, false", "0, 5, false"})
    void moreThanOneFailureInAThousandDoubtsTheFigures(long failed, long succeeded, boolean doubted) {
        List<ThroughputLoop.Result> results = List.of(
                new ThroughputLoop.Result(succeeded, 0, "", 1), new ThroughputLoop.Result(0, failed, "overloaded", 1));

        assertThat(FailedOperations.doubt(results))
                .isEqualTo(
                        doubted
                                ? Optional.of(failed + " of 1000 operations failed, the first one by: overloaded")
                                : Optional.empty());
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void immediateOperationsFreeTheLibraryThread() throws Exception {
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
