package io.dht4j.testkit.time;

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
 * An environment under virtual time. Clocks advance only in {@link #advance}, {@link #runUntilIdle}, {@link #runUntil}
 * and {@link #await}. These methods run tasks and timers one after another on the calling thread, and time jumps from
 * one timer to the next. An hour takes microseconds.
 *
 * <p>The seed determines everything that happens: the random numbers, and which of several ready tasks runs first.
 * Limits: activity outside the environment is not deterministic, such as other threads and the iteration order of
 * identity-hashed sets.
 *
 * <p>Several nodes of one simulation share time and tasks: each needs its own view, created with {@link #newNode()} or
 * {@link #withClockOffset}. Closing a view ends that node's timers only.
 *
 * <p>Confined to the thread that created it; use by another thread throws {@link IllegalStateException}. A run fails
 * with an {@link AssertionError} that names the seed if a task throws, or the run exceeds the permitted number of
 * steps.
 */
public final class VirtualEnvironment implements Environment {

    /** The default limit of tasks in one run. */
    public static final int DEFAULT_MAX_STEPS = 1_000_000;

    /** The initial wall-clock time: 2026-01-01T00:00:00Z in milliseconds since 1970. */
    public static final long START_MILLIS = 1_767_225_600_000L;

    private static final int STORE_THREADS = 4;

    private final Simulation simulation;
    private final SplittableRandom random;
    private final WallClock wallClock;

    private long pausedUntilNanos;
    private long storeDelayNanos;
    private final Queue<Runnable> storeTasks = new ArrayDeque<>();
    private int storeThreads = STORE_THREADS;
    private int storeThreadsBusy;
    /** How long the running store task, if any, occupies its thread. */
    private long occupiedNanos;

    private final Executor executor = this::execute;
    private final Executor storeExecutor = this::executeOnStoreThread;
    private boolean closed;
    private boolean crashed;

    private VirtualEnvironment(Simulation simulation, WallClock wallClock) {
        this.simulation = simulation;
        this.random = simulation.newRandom();
        this.wallClock = wallClock;
    }

    /**
     * Creates a simulation in which one run may execute {@value #DEFAULT_MAX_STEPS} tasks.
     *
     * @param seed determines all random choices
     * @return an environment whose wall clock shows {@link #START_MILLIS} and whose monotonic clock shows any number
     */
    public static VirtualEnvironment seeded(long seed) {
        return seeded(seed, DEFAULT_MAX_STEPS);
    }

    /**
     * Creates a simulation.
     *
     * @param seed determines all random choices
     * @param maxSteps how many tasks one run may execute before it counts as an endless loop, 1 or more
     * @return an environment whose wall clock shows {@link #START_MILLIS} and whose monotonic clock shows any number
     * @throws IllegalArgumentException if {@code maxSteps} is less than 1
     */
    public static VirtualEnvironment seeded(long seed, int maxSteps) {
        Simulation simulation = new Simulation(seed, maxSteps);
        return new VirtualEnvironment(simulation, new WallClock(simulation, 0));
    }

    /**
     * Creates the environment of another node in this simulation. Its wall clock begins with this one's time and drift,
     * and is independent afterwards.
     *
     * @return a view that shares time and tasks, and has its own random numbers and its own end
     */
    public VirtualEnvironment newNode() {
        return new VirtualEnvironment(simulation, wallClock.copy());
    }

    /**
     * Creates the environment of another node in this simulation, whose wall clock is wrong and does not drift.
     *
     * @param offset the lead over a correct clock, to the millisecond; negative for behind
     * @return a view that shares time and tasks, and has its own random numbers and its own end
     */
    public VirtualEnvironment withClockOffset(Duration offset) {
        return new VirtualEnvironment(simulation, new WallClock(simulation, offset.toMillis()));
    }

    /**
     * Returns the seed, for messages.
     *
     * @return the seed passed to {@link #seeded(long)}
     */
    public long seed() {
        return simulation.seed();
    }

    /**
     * Returns the virtual time since the start of the simulation.
     *
     * @return zero or more
     */
    public Duration elapsed() {
        return Duration.ofNanos(simulation.elapsedNanos());
    }

    /**
     * Returns the number of this node's pending tasks.
     *
     * @return how many tasks have not run, and how many timers have neither run nor been cancelled; 0 or more
     */
    public int pendingTasks() {
        return simulation.pending(this) + storeTasks.size();
    }

    /**
     * Returns a digest of the history: which tasks ran, in which order, and when.
     *
     * @return equal for runs with an equal history; for others most likely different
     */
    public long fingerprint() {
        return simulation.fingerprint();
    }

    /**
     * Advances time. Runs all tasks that are or become due, including those due at the end.
     *
     * @param duration zero (run what is due now) or more
     * @throws IllegalArgumentException if the duration is negative
     * @throws AssertionError if a task throws or the steps are used up
     */
    public void advance(Duration duration) {
        simulation.runUntil(() -> false, momentAfter(duration));
    }

    /**
     * Runs until no task or timer is left. Time advances to the last timer.
     *
     * @throws AssertionError if a task throws or the steps are used up, as with timers that renew themselves
     */
    public void runUntilIdle() {
        simulation.runUntil(() -> false, Simulation.NEVER);
    }

    /**
     * Runs until a condition holds, which is checked after every task.
     *
     * @param condition has no side effects
     * @param bound the limit of virtual time
     * @throws IllegalArgumentException if the bound is negative
     * @throws AssertionError if the time passes without the condition, no task or timer is left, a task throws or the
     *     steps are used up
     */
    public void runUntil(BooleanSupplier condition, Duration bound) {
        if (!simulation.runUntil(condition, momentAfter(bound))) {
            throw new AssertionError("the condition did not come true within " + bound + simulation.suffix());
        }
    }

    /**
     * Runs until a stage has completed, and returns its result.
     *
     * @param <T> the type of the result
     * @param stage the stage to wait for
     * @param bound the limit of virtual time
     * @return the stage's result
     * @throws IllegalArgumentException if the bound is negative
     * @throws RuntimeException the failure of the stage, without the wrappers of futures; a checked exception is
     *     wrapped in a {@link CompletionException}
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
        return wallClock.millis();
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

    @Override
    public boolean isVirtual() {
        return true;
    }

    private void executeOnStoreThread(Runnable task) {
        if (storeThreadsBusy >= storeThreads && !crashed) {
            checkRunning();
            storeTasks.add(task);
        } else {
            // A task submitted by a store task cannot begin before that task has reached the submission.
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
     * Occupies the calling store thread for a while, as a slow store does. Called by a store. The store's call returns
     * immediately, since time does not advance while a task runs. The node's {@link #storeThreads()} store threads
     * accept correspondingly fewer tasks.
     *
     * @param time zero or more; adds to the time that the same task has spent
     * @throws IllegalArgumentException if it is negative
     */
    public void occupyStoreThread(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a store cannot be busy for " + time);
        }
        occupiedNanos += time.toNanos();
    }

    /**
     * Delays the start of this node's store tasks, as a busy disk does.
     *
     * @param longest the exclusive limit of a random delay for each task; zero for none
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
     * Sets how many store tasks can be busy at a time, see {@link #occupyStoreThread}. Called before the node starts.
     * Default: 4.
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
     * Sets this node's wall clock, as a person or a time server does. A drift continues.
     *
     * @param offset the lead over a correct clock, to the millisecond; negative for behind
     */
    public void setClockOffset(Duration offset) {
        wallClock.setOffset(offset);
    }

    /**
     * Sets the drift of this node's wall clock from now on. The clock's present time stays. {@link #nanoTime} and
     * timers do not drift.
     *
     * @param partsPerMillion the excess of the clock in microseconds per second, more than -1,000,000 (a stopped clock)
     *     and at most 1,000,000 (a clock of double speed); negative for a slow clock, zero for a correct one
     * @throws IllegalArgumentException if it is out of this range
     */
    public void setClockDrift(int partsPerMillion) {
        wallClock.setDrift(partsPerMillion);
    }

    /**
     * Suspends this node, as SIGSTOP does: its tasks run after the pause, together with all that have become due. Its
     * clocks continue.
     *
     * @param duration zero or more; a longer pause that is already running is not shortened
     * @throws IllegalArgumentException if it is negative
     */
    public void pause(Duration duration) {
        pausedUntilNanos = Math.max(pausedUntilNanos, momentAfter(duration));
    }

    /**
     * Ends this node immediately, as {@code kill -9} does: none of its pending timers and tasks runs. Later tasks are
     * silently dropped.
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

    /** Drops this node's timers. Tasks submitted before still run with the simulation; new ones are refused. */
    @Override
    public void close() {
        closed = true;
    }
}
