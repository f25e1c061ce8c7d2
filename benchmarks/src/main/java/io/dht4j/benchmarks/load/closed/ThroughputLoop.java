package io.dht4j.benchmarks.load.closed;

import io.dht4j.DhtException;
import io.dht4j.PrintableText;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: a fixed number of slots; each starts its next operation when the last one has ended. It measures the
 * highest rate, not latency at a rate, since a slow answer delays the next request.
 *
 * <p>It is for variants in this process, which are functions. An operation that fails is counted, and is no part of the
 * rate; a run in which more than one in a hundred fail has no result. A load with a client and a workload is a
 * {@link io.dht4j.lab.internal.load.closed.ClosedLoop}.
 *
 * <p>Threads of its own begin the operations. If one ends on another thread, of the library under test, the slot's next
 * operation begins there too, but only one. A chain of operations that end at once would occupy that thread, so the
 * slot then returns to its own thread.
 */
public final class ThroughputLoop {

    /** After this number of operations that end at once, the next slot has its turn. */
    private static final int IN_A_ROW = 256;

    /** A run in which more than one of so many operations fail has no result. */
    private static final int MOST_FAILURES = 100;

    /** A run ends early only after so many failures, since one stall may fail all slots at its beginning. */
    private static final int ENDING_FAILURES = 10_000;

    private static final int LONGEST_QUOTE = 300;

    private final int slots;
    private final IntFunction<CompletionStage<?>> operation;
    private final AtomicBoolean running = new AtomicBoolean(true);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** An error of this loop, not of an operation. */
    private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();

    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    private final CountDownLatch ended;

    private ThroughputLoop(int slots, IntFunction<CompletionStage<?>> operation) {
        this.slots = slots;
        this.operation = operation;
        this.ended = new CountDownLatch(slots);
    }

    /**
     * The result of a run.
     *
     * @param operations number of operations that succeeded
     * @param failed number of operations that failed, at most one in a hundred of all
     * @param firstFailure type and message of the first failure, on one line; empty if there was none
     * @param perSecond operations per second
     */
    public record Result(long operations, long failed, String firstFailure, double perSecond) {}

    /** Runs for some seconds; fails if more than one operation in a hundred failed. */
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
     * Runs for some seconds and starts the operations on the caller's threads, one for each processor. Fails if more
     * than one operation in a hundred failed.
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
            run.stopped.await((long) (seconds * 1000), TimeUnit.MILLISECONDS);
        } finally {
            run.running.set(false);
        }
        long operations = run.done.get();
        double elapsed = (System.nanoTime() - begin) / 1e9;
        run.ended.await();
        Throwable broken = run.broken.get();
        if (broken != null) {
            throw new IllegalStateException("the loop failed: " + broken, broken);
        }
        Throwable first = run.firstFailure.get();
        String quoted = first == null ? "" : PrintableText.of(first, LONGEST_QUOTE);
        if (run.hasTooManyFailures()) {
            throw new IllegalStateException(
                    run.failed + " of " + (run.done.get() + run.failed.get()) + " operations failed, the first one by: "
                            + quoted,
                    first);
        }
        return new Result(run.done.get(), run.failed.get(), quoted, operations / elapsed);
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
                    // The run ends when its time is over or too many operations have failed; until then slots continue.
                    stop();
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
        private void goOn(int slot, @Nullable Throwable error) {
            boolean free = true;
            try {
                count(error);
                free = !running.get() || beginsAndEnds(slot);
            } catch (RuntimeException | Error e) {
                // No other code would see the error, and the run would wait for the slot.
                broken.compareAndSet(null, e);
                stop();
            }
            if (free) {
                ready.add(slot);
            }
        }

        /** Begins an operation. Unless it ends at once, the thread that ends it continues the slot. */
        private boolean beginsAndEnds(int slot) {
            CompletableFuture<?> future = ThroughputLoop.this.begin(slot);
            if (!future.isDone()) {
                future.whenComplete((result, error) -> goOn(slot, error));
                return false;
            }
            count(future.isCompletedExceptionally() ? future.handle((r, e) -> e).join() : null);
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

    private void count(@Nullable Throwable error) {
        if (error != null) {
            fail(error);
            return;
        }
        done.incrementAndGet();
    }

    private void fail(Throwable error) {
        firstFailure.compareAndSet(null, DhtException.unwrap(error));
        if (failed.incrementAndGet() >= ENDING_FAILURES && hasTooManyFailures()) {
            stop();
        }
    }

    /** Ends the run before its time. */
    private void stop() {
        running.set(false);
        stopped.countDown();
    }

    private boolean hasTooManyFailures() {
        return failed.get() * MOST_FAILURES > done.get() + failed.get();
    }
}
