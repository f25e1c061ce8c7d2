package io.dht4j.testkit.time;

import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a simulation that its nodes share: elapsed time, the ready tasks and the waiting ones. The seed
 * determines which of several ready tasks runs next. Different seeds try different interleavings, as threads would, and
 * one seed always the same. Confined to the thread that created it.
 */
final class Simulation {

    /** A time that never comes. */
    static final long NEVER = Long.MAX_VALUE;

    private final long seed;
    private final int maxSteps;
    private final SplittableRandom choices;
    private final SplittableRandom randoms;
    private final Thread owner = Thread.currentThread();
    private final PriorityQueue<Task> waiting = new PriorityQueue<>();
    private final List<Task> ready = new ArrayList<>();
    private final long startNanos;
    private long elapsedNanos;
    private long sequence;
    private long fingerprint;
    private boolean running;

    Simulation(long seed, int maxSteps) {
        if (maxSteps < 1) {
            throw new IllegalArgumentException("maxSteps must be 1 or more, not " + maxSteps);
        }
        this.seed = seed;
        this.maxSteps = maxSteps;
        SplittableRandom root = new SplittableRandom(seed);
        this.choices = root.split();
        this.randoms = root.split();
        // An arbitrary origin exposes code that compares times without regard to overflow.
        this.startNanos = root.nextLong();
    }

    long seed() {
        return seed;
    }

    long elapsedNanos() {
        return elapsedNanos;
    }

    long nanoTime() {
        return startNanos + elapsedNanos;
    }

    long fingerprint() {
        return fingerprint;
    }

    SplittableRandom newRandom() {
        checkThread();
        return randoms.split();
    }

    Task submit(VirtualEnvironment owner, Runnable action, long delayNanos, boolean timer) {
        checkThread();
        long due = elapsedNanos + Math.max(0, delayNanos);
        if (due < 0) {
            due = NEVER;
        }
        Task task = new Task(owner, action, due, sequence++, timer);
        if (due <= elapsedNanos) {
            ready.add(task);
        } else {
            waiting.add(task);
        }
        return task;
    }

    /**
     * Runs tasks as they become ready until the condition holds or a time is reached. In the latter case the clock
     * moves to that time.
     */
    boolean runUntil(BooleanSupplier condition, long untilNanos) {
        checkThread();
        if (running) {
            throw new IllegalStateException("a task must not drive the simulation that runs it" + suffix());
        }
        running = true;
        try {
            for (int steps = 0; !condition.getAsBoolean(); steps++) {
                Task task = next(untilNanos);
                if (task == null) {
                    if (untilNanos != NEVER) {
                        elapsedNanos = untilNanos;
                    }
                    return condition.getAsBoolean();
                }
                if (steps == maxSteps) {
                    throw new AssertionError("still busy after " + maxSteps
                            + " steps: an endless loop, or maxSteps is too small" + suffix());
                }
                run(task);
            }
            return true;
        } finally {
            running = false;
        }
    }

    private @Nullable Task next(long untilNanos) {
        while (true) {
            if (ready.isEmpty() && !admitNext(untilNanos)) {
                return null;
            }
            int chosen = choices.nextInt(ready.size());
            Task last = ready.remove(ready.size() - 1);
            Task task = chosen == ready.size() ? last : ready.set(chosen, last);
            if (task.isDropped()) {
                continue;
            }
            long paused = task.owner.pausedUntilNanos();
            if (paused <= elapsedNanos) {
                return task;
            }
            task.due = paused;
            waiting.add(task);
        }
    }

    /** Advances to the next time at which tasks are due, and moves these tasks to the ready ones. */
    private boolean admitNext(long untilNanos) {
        while (!waiting.isEmpty() && waiting.element().isDropped()) {
            waiting.remove();
        }
        if (waiting.isEmpty() || waiting.element().due > untilNanos || waiting.element().due == NEVER) {
            return false;
        }
        elapsedNanos = waiting.element().due;
        while (!waiting.isEmpty() && waiting.element().due == elapsedNanos) {
            ready.add(waiting.remove());
        }
        return true;
    }

    private void run(Task task) {
        fingerprint = 31 * (31 * fingerprint + task.sequence) + elapsedNanos;
        task.done = true;
        try {
            task.action.run();
        } catch (Throwable e) {
            throw new AssertionError("a task threw " + e + suffix(), e);
        }
    }

    /** Returns how many tasks and timers of an environment have yet to run. */
    int pending(VirtualEnvironment owner) {
        int pending = 0;
        for (Task task : waiting) {
            pending += task.owner == owner && !task.isDropped() ? 1 : 0;
        }
        for (Task task : ready) {
            pending += task.owner == owner && !task.isDropped() ? 1 : 0;
        }
        return pending;
    }

    private void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("a virtual environment is for one thread, " + owner.getName() + ", not "
                    + Thread.currentThread().getName() + suffix());
        }
    }

    String suffix() {
        return " (seed " + seed + ", " + elapsedNanos + " ns after the start)";
    }

    /** A task that runs at or after a time. */
    static final class Task implements Environment.Timer, Comparable<Task> {

        private final VirtualEnvironment owner;
        private final Runnable action;
        private long due;
        private final long sequence;
        private final boolean timer;
        private boolean done;

        private Task(VirtualEnvironment owner, Runnable action, long due, long sequence, boolean timer) {
            this.owner = owner;
            this.action = action;
            this.due = due;
            this.sequence = sequence;
            this.timer = timer;
        }

        @Override
        public void cancel() {
            done = true;
        }

        private boolean isDropped() {
            return done || owner.isCrashed() || (timer && owner.isClosed());
        }

        @Override
        public int compareTo(Task other) {
            int byTime = Long.compare(due, other.due);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }
}
