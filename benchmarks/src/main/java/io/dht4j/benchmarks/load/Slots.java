package io.dht4j.benchmarks.load;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: a fixed number of slots, each of which starts its next operation when its last one has ended. It measures
 * the highest rate, not latency at a given rate, since a slow answer also holds back the next request.
 */
public final class Slots {

    /** What takes longer counts as this. */
    private static final long LONGEST_NANOS = 60_000_000_000L;

    private final int slots;
    private final IntFunction<CompletionStage<?>> operation;
    private final AtomicBoolean running = new AtomicBoolean(true);
    private final AtomicLong done = new AtomicLong();
    private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final Histogram latency = new ConcurrentHistogram(LONGEST_NANOS, 3);
    private final CountDownLatch ended;

    private Slots(int slots, IntFunction<CompletionStage<?>> operation) {
        this.slots = slots;
        this.operation = operation;
        this.ended = new CountDownLatch(slots);
    }

    /**
     * What a run gave.
     *
     * @param perSecond operations per second
     * @param p50Micros median time of an operation
     * @param p99Micros time that 99 of 100 operations stay under
     */
    public record Result(double perSecond, double p50Micros, double p99Micros) {}

    /** Runs for some seconds; fails if any operation failed. */
    public static Result run(int slots, double seconds, IntFunction<CompletionStage<?>> operation)
            throws InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            return run(slots, seconds, operation, threads);
        } finally {
            threads.shutdown();
        }
    }

    /** Runs for some seconds, with threads of the caller's to start the operations; fails if any operation failed. */
    static Result run(int slots, double seconds, IntFunction<CompletionStage<?>> operation, Executor threads)
            throws InterruptedException {
        Slots run = new Slots(slots, operation);
        int starters = Math.min(slots, Runtime.getRuntime().availableProcessors());
        long begin = System.nanoTime();
        for (int starter = 0; starter < starters; starter++) {
            run.startFrom(starter, starters, threads);
        }
        try {
            Thread.sleep((long) (seconds * 1000));
        } finally {
            run.running.set(false);
        }
        long operations = run.done.get();
        double elapsed = (System.nanoTime() - begin) / 1e9;
        run.ended.await();
        if (!run.errors.isEmpty()) {
            throw new IllegalStateException(
                    run.errors.size() + " operations failed, the first one by: " + run.errors.peek(),
                    run.errors.peek());
        }
        return new Result(
                operations / elapsed,
                run.latency.getValueAtPercentile(50) / 1e3,
                run.latency.getValueAtPercentile(99) / 1e3);
    }

    /** In a thread of its own: operations that end at once never give the thread back before the run is over. */
    private void startFrom(int first, int step, Executor threads) {
        threads.execute(() -> {
            for (int slot = first; slot < slots; slot += step) {
                loop(slot);
            }
        });
    }

    private void loop(int slot) {
        while (running.get()) {
            long begin = System.nanoTime();
            CompletableFuture<?> future = begin(slot);
            if (!future.isDone()) {
                future.whenComplete((result, error) -> {
                    count(begin, error);
                    loop(slot);
                });
                return;
            }
            count(
                    begin,
                    future.isCompletedExceptionally()
                            ? future.handle((r, e) -> e).join()
                            : null);
        }
        ended.countDown();
    }

    /** What cannot even be begun has failed like any other: nobody would count the slot otherwise. */
    private CompletableFuture<?> begin(int slot) {
        try {
            return operation.apply(slot).toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void count(long begin, @Nullable Throwable error) {
        latency.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - begin));
        done.incrementAndGet();
        if (error != null) {
            errors.add(error);
            running.set(false);
        }
    }
}
