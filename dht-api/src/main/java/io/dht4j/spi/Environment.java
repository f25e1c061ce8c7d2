package io.dht4j.spi;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The source of time, random numbers, threads and timers for the core, so that the same code runs on a machine and in a
 * simulation with virtual time. Safe for use by any number of threads.
 */
public interface Environment extends AutoCloseable {

    /**
     * Returns the monotonic clock, for durations and deadlines.
     *
     * @return nanoseconds since an arbitrary moment, as {@link System#nanoTime()}
     */
    long nanoTime();

    /**
     * Returns the wall clock, for versions and expiry. The clock may jump.
     *
     * @return milliseconds since 1970
     */
    long currentTimeMillis();

    /**
     * Returns a source of random numbers that is safe for use by any number of threads.
     *
     * @return always the same generator, or one for the calling thread
     */
    RandomGenerator random();

    /**
     * Returns the executor of short tasks that never block.
     *
     * @return an executor that runs tasks on other threads than the caller's, or later on the caller's
     */
    Executor executor();

    /**
     * Returns the executor of tasks that block on a store. It runs at most {@link #storeThreads()} tasks at a time and
     * never interrupts them. The caller bounds the number of submitted tasks.
     *
     * @return an executor that never runs a task on the caller's thread
     */
    Executor storeExecutor();

    /**
     * Returns how many store tasks run at a time.
     *
     * @return 1 or more
     */
    int storeThreads();

    /**
     * Returns whether time stands still while the thread that drives it waits for something else. Nothing may block on
     * such an environment.
     *
     * @return false by default
     */
    default boolean isVirtual() {
        return false;
    }

    /**
     * Schedules a task to run once.
     *
     * @param task short and non-blocking
     * @param delayNanos nanoseconds from now; zero or less means as soon as possible
     * @return a handle that cancels it
     */
    Timer schedule(Runnable task, long delayNanos);

    /**
     * Waits for running tasks without interrupting them, drops timers and ends the threads. May be called repeatedly.
     */
    @Override
    void close();

    /** A scheduled task. */
    @FunctionalInterface
    interface Timer {

        /** Cancels the task if it has not begun. Never interrupts it. May be called repeatedly. */
        void cancel();
    }
}
