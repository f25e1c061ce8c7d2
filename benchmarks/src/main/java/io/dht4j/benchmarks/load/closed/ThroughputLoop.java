package io.dht4j.benchmarks.load.closed;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: a fixed number of slots, each of which starts its next operation when the last one has ended. It
 * measures the highest rate, not latency at a rate, since a slow answer delays the next request.
 *
 * <p>It is for variants in this process, which are functions; the first failure ends it. A load with a client, a
 * workload and counted failures is a {@link io.dht4j.lab.internal.load.closed.ClosedLoop}.
 *
 * <p>Threads of its own begin the operations. If one ends on another thread, of the library under test, the slot's next
 * operation begins there too, but only one. A chain of operations that end at once would keep that thread from its
 * work, so the slot then returns to its own thread.
 */
public final class ThroughputLoop {

    /** Longer times count as this. */
    private static final long LONGEST_NANOS = 60_000_000_000L;

    /** After this number of operations that end at once, the next slot has its turn. */
    private static final int IN_A_ROW = 256;

    private final int slots;
    private final IntFunction<CompletionStage<?>> operation;
    private final AtomicBoolean running = new AtomicBoolean(true);
    private final AtomicLong done = new AtomicLong();
    private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final Histogram latency = new ConcurrentHistogram(LONGEST_NANOS, 3);
    private final CountDownLatch ended;

    private ThroughputLoop(int slots, IntFunction<CompletionStage<?>> operation) {
        this.slots = slots;
        this.operation = operation;
        this.ended = new CountDownLatch(slots);
    }

    /**
     * The result of a run.
     *
     * @param operations number of operations that ended
     * @param perSecond operations per second
     * @param p50Micros median time of an operation
     * @param p99Micros 99th percentile of the time of an operation
     */
    public record Result(long operations, double perSecond, double p50Micros, double p99Micros) {}

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

    /**
     * Runs for some seconds and starts the operations on the caller's threads, one for each processor. Fails if any
     * operation failed.
     */
    static Result run(int slots, double seconds, IntFunction<CompletionStage<?>> operation, Executor threads)
            throws InterruptedException {
        ThroughputLoop run = new ThroughputLoop(slots, operation);
        int starters = Math.min(slots, Runtime.getRuntime().availableProcessors());
        long begin = System.nanoTime();
        for (int starter = 0; starter < starters; starter++) {
            threads.execute(run.new Starter(starter, starters));
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
                run.done.get(),
                operations / elapsed,
                run.latency.getValueAtPercentile(50) / 1e3,
                run.latency.getValueAtPercentile(99) / 1e3);
    }

    /** A thread that begins the operations of some slots. */
    private final class Starter implements Runnable {

        private final BlockingQueue<Integer> ready = new LinkedBlockingQueue<>();
        private int open;

        Starter(int first, int step) {
            for (int slot = first; slot < slots; slot += step) {
                ready.add(slot);
                open++;
            }
        }

        @Override
        public void run() {
            while (open > 0) {
                int slot = nextReady();
                if (running.get()) {
                    advance(slot);
                } else {
                    open--;
                    ended.countDown();
                }
            }
        }

        private int nextReady() {
            while (true) {
                try {
                    return ready.take();
                } catch (InterruptedException e) {
                    // The run ends when its time is over or an operation has failed; until then slots continue.
                    running.set(false);
                }
            }
        }

        private void advance(int slot) {
            for (int i = 0; i < IN_A_ROW && running.get(); i++) {
                if (!beginsAndEnds(slot)) {
                    return;
                }
            }
            ready.add(slot);
        }

        /** Runs on the thread that ended an operation, or on the slot's own thread. */
        private void goOn(int slot, long begin, @Nullable Throwable error) {
            boolean free = true;
            try {
                count(begin, error);
                free = !running.get() || beginsAndEnds(slot);
            } catch (RuntimeException | Error e) {
                // No other code would see the error, and the run would wait for the slot.
                errors.add(e);
                running.set(false);
            }
            if (free) {
                ready.add(slot);
            }
        }

        /** Begins an operation. Unless it ends at once, the thread that ends it continues the slot. */
        private boolean beginsAndEnds(int slot) {
            long begin = System.nanoTime();
            CompletableFuture<?> future = ThroughputLoop.this.begin(slot);
            if (!future.isDone()) {
                future.whenComplete((result, error) -> goOn(slot, begin, error));
                return false;
            }
            count(
                    begin,
                    future.isCompletedExceptionally()
                            ? future.handle((r, e) -> e).join()
                            : null);
            return true;
        }
    }

    /** An operation that fails to begin counts as failed; otherwise the slot would be lost. */
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
