package io.dht4j.spi;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Where the core takes time, chance, threads and timers from, so that the same code runs on a machine and in a
 * simulation under virtual time. Safe for use by any number of threads.
 */
public interface Environment extends AutoCloseable {

    /**
     * A monotonic clock, for durations and deadlines.
     *
     * @return nanoseconds since an arbitrary moment, as {@link System#nanoTime()}
     */
    long nanoTime();

    /**
     * The wall clock, for versions and expiry. It may jump.
     *
     * @return milliseconds since 1970
     */
    long currentTimeMillis();

    /**
     * A source of chance, safe for use by any number of threads.
     *
     * @return always the same generator, or one for the calling thread
     */
    RandomGenerator random();

    /**
     * Runs short tasks that never block.
     *
     * @return an executor that runs tasks on other threads than the caller's, or later on the caller's
     */
    Executor executor();

    /**
     * Runs tasks that block on a store, at most {@link #storeThreads()} at a time. Nothing ever interrupts them. The
     * caller bounds how many tasks it hands over.
     *
     * @return an executor that never runs a task on the caller's thread
     */
    Executor storeExecutor();

    /**
     * How many store tasks run at a time.
     *
     * @return 1 or more
     */
    int storeThreads();

    /**
     * Runs a task later, once.
     *
     * @param task short and non-blocking
     * @param delayNanos nanoseconds from now; zero or less means as soon as possible
     * @return a handle that cancels it
     */
    Timer schedule(Runnable task, long delayNanos);

    /**
     * Waits for tasks under way without interrupting them, drops timers and ends the threads. May be called repeatedly.
     */
    @Override
    void close();

    /** A task that was scheduled. */
    @FunctionalInterface
    interface Timer {

        /** Keeps the task from running, if it has not begun. Never interrupts it. May be called repeatedly. */
        void cancel();
    }
}
