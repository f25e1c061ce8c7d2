package io.dht4j.core;

import io.dht4j.Ranges;
import io.dht4j.spi.Environment;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The environment of a real machine: the system's clocks and a node's own threads, which are never interrupted. The
 * threads are daemons, so an application can end without closing the cluster.
 */
public final class SystemEnvironment implements Environment {

    private static final Logger LOG = LoggerFactory.getLogger(SystemEnvironment.class);
    private static final int CLOSE_SECONDS = 30;
    private static final int HURRIED_CLOSE_SECONDS = 1;
    private static final long TICK_NANOS = 20_000_000;

    private final String name;
    private final ExecutorService executor;
    private final ExecutorService storeExecutor;
    private final int storeThreads;
    private final ScheduledThreadPoolExecutor timers;
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile boolean set;

    /**
     * Starts the threads: one for timers, one per processor for short tasks, and those for the store.
     *
     * @param name the prefix of the threads' names, for example the node's id
     * @param storeThreads how many store calls run at a time, 1 to 256
     * @throws IllegalArgumentException if {@code storeThreads} is out of range
     */
    public SystemEnvironment(String name, int storeThreads) {
        Ranges.require("storeThreads", storeThreads, 1, 256);
        this.name = name;
        this.storeThreads = storeThreads;
        // The queues contain only tasks of admitted calls, whose number is bounded.
        this.executor =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), threads(name + "-worker"));
        this.storeExecutor = Executors.newFixedThreadPool(storeThreads, threads(name + "-store"));
        this.timers = new ScheduledThreadPoolExecutor(1, threads(name + "-timer"));
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Creates an environment with twice as many store threads as there are processors, and at least four.
     *
     * @param name the prefix of the threads' names
     * @return a new environment, which the caller closes
     */
    public static SystemEnvironment create(String name) {
        return new SystemEnvironment(name, Math.max(4, 2 * Runtime.getRuntime().availableProcessors()));
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((t, e) -> LOG.error("uncaught exception in thread {}", t.getName(), e));
            return thread;
        };
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public RandomGenerator random() {
        return ThreadLocalRandom.current();
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public Executor storeExecutor() {
        return storeExecutor;
    }

    @Override
    public int storeThreads() {
        return storeThreads;
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        if (delayNanos > TICK_NANOS) {
            set = true;
            if (!ticking.get() && ticking.compareAndSet(false, true)) {
                timers.schedule(this::tick, TICK_NANOS, TimeUnit.NANOSECONDS);
            }
        }
        // The timer thread only forwards tasks, so that no task delays another.
        Handover handover = new Handover(task);
        handover.scheduled = timers.schedule(handover, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
        return handover;
    }

    /** A timer that is its own task, so that a timer for each call costs few objects. */
    private final class Handover implements Callable<Boolean>, Timer {

        private final Runnable task;
        /** Set before the first possible cancellation. */
        private @Nullable ScheduledFuture<?> scheduled;

        Handover(Runnable task) {
            this.task = task;
        }

        @Override
        public Boolean call() {
            handOver(task);
            return true;
        }

        @Override
        public void cancel() {
            ScheduledFuture<?> timer = scheduled;
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    private void handOver(Runnable task) {
        try {
            executor.execute(task);
        } catch (OutOfMemoryError e) {
            // Without memory for the executor, the timer thread runs the task, so that deadlines still pass.
            task.run();
        }
    }

    /**
     * Schedules itself again as long as timers are being set, so that there is always an earlier timer than theirs.
     *
     * <p>Setting a timer that is due before all others wakes the timer thread. With one timer per call, most of them
     * cancelled early, this would cost a thread switch for each call. A timer set just as the tick ends wakes the
     * thread once more.
     */
    private void tick() {
        if (set) {
            set = false;
            timers.schedule(this::tick, TICK_NANOS, TimeUnit.NANOSECONDS);
        } else {
            ticking.set(false);
        }
    }

    @Override
    public void close() {
        timers.shutdown();
        storeExecutor.shutdown();
        executor.shutdown();
        // An interrupted thread waits for what ends by itself, and for nothing that may take long.
        boolean isInterrupted = Thread.interrupted();
        int seconds = isInterrupted ? HURRIED_CLOSE_SECONDS : CLOSE_SECONDS;
        try {
            if (!storeExecutor.awaitTermination(seconds, TimeUnit.SECONDS)
                    || !executor.awaitTermination(seconds, TimeUnit.SECONDS)) {
                LOG.warn("{}: tasks are still running {} s after closing", name, seconds);
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
            LOG.warn("{}: interrupted while tasks were running; not waiting for them", name);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
