package io.dht4j.testkit;

import io.dht4j.DhtException;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * An environment under virtual time. Clocks stand still until {@link #advance}, {@link #runUntilIdle},
 * {@link #runUntil} or {@link #await} is called; these run tasks and timers one after the other on the calling thread,
 * and time jumps from one timer to the next. An hour passes in microseconds, and everything that happens follows from
 * the seed: the random numbers, and which of several tasks that are ready runs first. What is not run through an
 * environment (other threads, the iteration order of identity-hashed sets) is not covered by that.
 *
 * <p>Several nodes of one simulation share time and tasks: give each of them its own view, made with {@link #newNode()}
 * or {@link #withClockOffset}. Closing a view ends that node's timers only.
 *
 * <p>For the thread that made it; another thread that uses it gets an {@link IllegalStateException}. A task that
 * throws, and more than the permitted number of steps in one run, fail the run with an {@link AssertionError} that
 * names the seed.
 */
public final class VirtualEnvironment implements Environment {

    /** How many tasks one run may execute, unless said otherwise. */
    public static final int DEFAULT_MAX_STEPS = 1_000_000;

    /** Wall-clock time at the start: 2026-01-01T00:00:00Z in milliseconds since 1970. */
    public static final long START_MILLIS = 1_767_225_600_000L;

    private static final int STORE_THREADS = 4;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long MILLION = 1_000_000;

    private final Simulation simulation;
    private final SplittableRandom random;
    private long clockOffsetMillis;
    /** So many nanoseconds too many pass on the wall clock in a millisecond, or too few. */
    private int driftPpm;
    /** Since when it has this drift, in elapsed time. */
    private long driftSinceNanos;
    /** What the drifts before have added to the offset. */
    private long driftedNanos;

    private long pausedUntilNanos;
    private long storeDelayNanos;
    private final Queue<Runnable> storeTasks = new ArrayDeque<>();
    private int storeThreads = STORE_THREADS;
    private int storeThreadsBusy;
    /** How long the store task that runs, if one does, keeps its thread. */
    private long occupiedNanos;

    private final Executor executor = this::execute;
    private final Executor storeExecutor = this::executeOnStoreThread;
    private boolean closed;
    private boolean crashed;

    private VirtualEnvironment(Simulation simulation, long clockOffsetMillis) {
        this.simulation = simulation;
        this.random = simulation.newRandom();
        this.clockOffsetMillis = clockOffsetMillis;
    }

    /**
     * A new simulation in which one run may execute {@value #DEFAULT_MAX_STEPS} tasks.
     *
     * @param seed decides everything that is left to chance
     * @return an environment whose wall clock shows {@link #START_MILLIS} and whose monotonic clock shows any number
     */
    public static VirtualEnvironment seeded(long seed) {
        return seeded(seed, DEFAULT_MAX_STEPS);
    }

    /**
     * A new simulation.
     *
     * @param seed decides everything that is left to chance
     * @param maxSteps how many tasks one run may execute before it is taken for an endless loop, 1 or more
     * @return an environment whose wall clock shows {@link #START_MILLIS} and whose monotonic clock shows any number
     * @throws IllegalArgumentException if {@code maxSteps} is less than 1
     */
    public static VirtualEnvironment seeded(long seed, int maxSteps) {
        return new VirtualEnvironment(new Simulation(seed, maxSteps), 0);
    }

    /**
     * The environment of another node in this simulation, whose wall clock shows what this one's does and has its
     * drift. What either is set to afterwards does not concern the other.
     *
     * @return a view that shares time and tasks, and has its own random numbers and its own end
     */
    public VirtualEnvironment newNode() {
        VirtualEnvironment node = new VirtualEnvironment(simulation, clockOffsetMillis);
        node.driftPpm = driftPpm;
        node.driftSinceNanos = driftSinceNanos;
        node.driftedNanos = driftedNanos;
        return node;
    }

    /**
     * The environment of another node in this simulation, whose wall clock is wrong and does not drift.
     *
     * @param offset how much it is ahead of a right one, to the millisecond; negative for behind
     * @return a view that shares time and tasks, and has its own random numbers and its own end
     */
    public VirtualEnvironment withClockOffset(Duration offset) {
        return new VirtualEnvironment(simulation, offset.toMillis());
    }

    /**
     * The seed, for messages.
     *
     * @return what was given to {@link #seeded(long)}
     */
    public long seed() {
        return simulation.seed();
    }

    /**
     * Virtual time since the start of the simulation.
     *
     * @return zero or more
     */
    public Duration elapsed() {
        return Duration.ofNanos(simulation.elapsedNanos());
    }

    /**
     * What this node is still going to do, as far as it is known.
     *
     * @return how many tasks have not run, and how many timers have neither run nor been cancelled; 0 or more
     */
    public int pendingTasks() {
        return simulation.pending(this) + storeTasks.size();
    }

    /**
     * A digest of what has happened: which tasks ran, in which order, and when.
     *
     * @return equal for runs with an equal history; for others most likely different
     */
    public long fingerprint() {
        return simulation.fingerprint();
    }

    /**
     * Lets time pass. Runs everything that is or becomes due until then, also what is due at the last moment.
     *
     * @param duration zero (run what is due now) or more
     * @throws IllegalArgumentException if the duration is negative
     * @throws AssertionError if a task throws or the steps are used up
     */
    public void advance(Duration duration) {
        simulation.runUntil(() -> false, momentAfter(duration));
    }

    /**
     * Runs until neither a task nor a timer is left. Time passes as far as the last timer.
     *
     * @throws AssertionError if a task throws or the steps are used up, as they will be when timers renew themselves
     */
    public void runUntilIdle() {
        simulation.runUntil(() -> false, Simulation.NEVER);
    }

    /**
     * Runs until a condition holds. It is checked after every task.
     *
     * @param condition has no side effects
     * @param bound how much virtual time may pass
     * @throws IllegalArgumentException if the bound is negative
     * @throws AssertionError if the time passes without it, if nothing is left that could bring it about, if a task
     *     throws or the steps are used up
     */
    public void runUntil(BooleanSupplier condition, Duration bound) {
        if (!simulation.runUntil(condition, momentAfter(bound))) {
            throw new AssertionError("the condition did not come true within " + bound + simulation.suffix());
        }
    }

    /**
     * Runs until a stage has completed, and hands over its result.
     *
     * @param <T> the type of the result
     * @param stage what to wait for
     * @param bound how much virtual time may pass
     * @return the stage's result
     * @throws IllegalArgumentException if the bound is negative
     * @throws RuntimeException what the stage failed with, without the wrappers of futures; a checked exception comes
     *     in a {@link CompletionException}
     * @throws AssertionError as {@link #runUntil}
     */
    public <T> T await(CompletionStage<T> stage, Duration bound) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        runUntil(future::isDone, bound);
        try {
            return future.join();
        } catch (CompletionException e) {
            Throwable cause = DhtException.unwrap(e);
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private long momentAfter(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time does not run backwards: " + duration);
        }
        return Math.addExact(simulation.elapsedNanos(), duration.toNanos());
    }

    @Override
    public long nanoTime() {
        return simulation.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        // Rounded once, so that a slow clock does not go back by a millisecond now and then.
        return START_MILLIS
                + clockOffsetMillis
                + Math.floorDiv(simulation.elapsedNanos() + driftNanos(), NANOS_PER_MILLI);
    }

    /** By how much its drifts have put the wall clock ahead. */
    private long driftNanos() {
        long since = simulation.elapsedNanos() - driftSinceNanos;
        // In two parts, since the product of a long time would not fit.
        long ofSeconds = since / NANOS_PER_SECOND * (NANOS_PER_SECOND / MILLION) * driftPpm;
        return driftedNanos + ofSeconds + Math.floorDiv(since % NANOS_PER_SECOND * driftPpm, MILLION);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public Executor storeExecutor() {
        return storeExecutor;
    }

    private void executeOnStoreThread(Runnable task) {
        if (storeThreadsBusy >= storeThreads && !crashed) {
            checkRunning();
            storeTasks.add(task);
        } else {
            // What a task hands over cannot begin before the task has come so far.
            execute(
                    () -> runOnStoreThread(task),
                    occupiedNanos + (storeDelayNanos == 0 ? 0 : random.nextLong(storeDelayNanos)));
        }
    }

    private void runOnStoreThread(Runnable task) {
        if (storeThreadsBusy >= storeThreads) {
            storeTasks.add(task);
            return;
        }
        occupiedNanos = 0;
        task.run();
        if (occupiedNanos > 0) {
            storeThreadsBusy++;
            simulation.submit(this, this::freeStoreThread, occupiedNanos, false);
            occupiedNanos = 0;
        }
    }

    private void freeStoreThread() {
        storeThreadsBusy--;
        while (storeThreadsBusy < storeThreads && !storeTasks.isEmpty()) {
            runOnStoreThread(storeTasks.remove());
        }
    }

    /**
     * Makes the store thread that calls it busy for a while, as a store does that takes its time. To be called by a
     * store. The call that it serves ends at once, since time stands still while a task runs; but this node's store
     * threads, which are {@link #storeThreads()}, take on so much less.
     *
     * @param time zero or more; adds to what the same task has spent
     * @throws IllegalArgumentException if it is negative
     */
    public void occupyStoreThread(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a store cannot be busy for " + time);
        }
        occupiedNanos += time.toNanos();
    }

    /**
     * Lets this node's store tasks begin later than they could, as on a disk that is busy.
     *
     * @param longest each begins after a random time of less than this; zero for at once
     * @throws IllegalArgumentException if it is negative
     */
    public void setStoreDelay(Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException("a delay must be zero or more, not " + longest);
        }
        storeDelayNanos = longest.toNanos();
    }

    @Override
    public int storeThreads() {
        return storeThreads;
    }

    /**
     * Sets how many store tasks can be busy at a time, see {@link #occupyStoreThread}. To be called before the node
     * starts. Default: 4.
     *
     * @param threads 1 or more
     * @throws IllegalArgumentException if it is less than 1
     */
    public void setStoreThreads(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("storeThreads must be 1 or more, not " + threads);
        }
        storeThreads = threads;
    }

    /**
     * Sets this node's wall clock, as a person or a time server does. If it drifts, it goes on to.
     *
     * @param offset how much it is ahead of a right one now, to the millisecond; negative for behind
     */
    public void setClockOffset(Duration offset) {
        clockOffsetMillis = offset.toMillis();
        driftedNanos = 0;
        driftSinceNanos = simulation.elapsedNanos();
    }

    /**
     * Lets this node's wall clock go too fast or too slow from now on. What it shows now stays. {@link #nanoTime} and
     * timers go right.
     *
     * @param partsPerMillion so many microseconds too many pass on it in a second; negative for too few; more than
     *     -1,000,000, at which it would stand still, and not more than 1,000,000, at which it goes twice as fast; zero
     *     for a right one
     * @throws IllegalArgumentException if it is out of this range
     */
    public void setClockDrift(int partsPerMillion) {
        if (partsPerMillion <= -MILLION || partsPerMillion > MILLION) {
            throw new IllegalArgumentException(
                    "the drift of a clock must be more than -1000000 and not more than 1000000 parts per million, not "
                            + partsPerMillion);
        }
        driftedNanos = driftNanos();
        driftSinceNanos = simulation.elapsedNanos();
        driftPpm = partsPerMillion;
    }

    /**
     * Lets this node stand still, as SIGSTOP does: nothing of it runs until the time is over, and then all that has
     * become due. Its clocks go on.
     *
     * @param duration zero or more; a longer pause that has begun before stays as long
     * @throws IllegalArgumentException if it is negative
     */
    public void pause(Duration duration) {
        pausedUntilNanos = Math.max(pausedUntilNanos, momentAfter(duration));
    }

    /**
     * Ends this node at once, as {@code kill -9} does: of what it was going to do nothing happens, neither timers nor
     * tasks. What it is handed afterwards is dropped without a word.
     */
    public void crash() {
        closed = true;
        crashed = true;
    }

    long pausedUntilNanos() {
        return pausedUntilNanos;
    }

    boolean isCrashed() {
        return crashed;
    }

    private void checkRunning() {
        if (closed) {
            throw new RejectedExecutionException("the environment is closed" + simulation.suffix());
        }
    }

    private void execute(Runnable task) {
        execute(task, 0);
    }

    private void execute(Runnable task, long delayNanos) {
        if (!crashed) {
            checkRunning();
            simulation.submit(this, task, delayNanos, false);
        }
    }

    /** {@inheritDoc} On a closed environment the task never runs. */
    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        return simulation.submit(this, task, delayNanos, true);
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Drops this node's timers. Tasks that were handed over before still run with the simulation; new ones are refused.
     */
    @Override
    public void close() {
        closed = true;
    }
}
