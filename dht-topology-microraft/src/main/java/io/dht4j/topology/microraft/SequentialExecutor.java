package io.dht4j.topology.microraft;

import io.dht4j.spi.Environment;
import io.microraft.executor.RaftNodeExecutor;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks of MicroRaft and of the applier one after another on the store threads of the environment, since they
 * write to the disk. Safe for use by any number of threads.
 */
final class SequentialExecutor implements RaftNodeExecutor {

    private static final Logger LOG = LoggerFactory.getLogger(SequentialExecutor.class);

    /** The most tasks of others than the engine that wait; each may have a message of a MiB. */
    private static final int MOST_WAITING = 128;

    /** After this number of tasks a store thread does other work first. */
    private static final int TURN = 16;

    private final Environment environment;
    /** Held while a task runs. */
    private final ReentrantLock running = new ReentrantLock();

    // Guarded by this.
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean turnSubmitted;

    private volatile boolean stopped;

    /** Whether the next task that MicroRaft passes on runs at once. Used on the lane. */
    private boolean direct;

    private final Clock clock;
    private final Consumer<String> onError;

    /**
     * Creates a lane.
     *
     * @param onError is called on the lane when a task has thrown an error
     */
    SequentialExecutor(Environment environment, Consumer<String> onError) {
        this.environment = environment;
        this.onError = onError;
        this.clock = new MonotonicClock(environment);
    }

    /** Returns the clock of the engine, which never jumps. */
    Clock clock() {
        return clock;
    }

    /** Adds a task of the engine, however many wait. */
    @Override
    public void submit(Runnable task) {
        add(task, Integer.MAX_VALUE);
    }

    /** Adds a task, unless too many wait already or the lane has stopped. Returns whether it did. */
    boolean offer(Runnable task) {
        return add(task, MOST_WAITING);
    }

    private boolean add(Runnable task, int most) {
        synchronized (this) {
            if (stopped || waiting.size() >= most) {
                return false;
            }
            waiting.add(task);
            if (turnSubmitted) {
                return true;
            }
            turnSubmitted = true;
        }
        return submitTurn();
    }

    private boolean submitTurn() {
        try {
            environment.storeExecutor().execute(this::runTurn);
            return true;
        } catch (RejectedExecutionException e) {
            // The environment is closed: the node has ended.
            stop();
            return false;
        }
    }

    private void runTurn() {
        for (int i = 0; i < TURN; i++) {
            if (!runNext()) {
                return;
            }
        }
        submitTurn();
    }

    private boolean runNext() {
        running.lock();
        try {
            @Nullable Runnable task;
            synchronized (this) {
                task = stopped ? null : waiting.poll();
                if (task == null) {
                    turnSubmitted = false;
                    return false;
                }
            }
            direct = false;
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.warn("a task of the topology log failed", e);
            } catch (Error e) {
                // The effects of the failed task are unknown.
                onError.accept("the topology log failed with an error of this process (" + e + "): start it again");
                throw e;
            }
            return true;
        } finally {
            running.unlock();
        }
    }

    /** Runs a call of MicroRaft whose own task then runs within it. Called on the lane. */
    void directly(Runnable call) {
        direct = true;
        try {
            call.run();
        } finally {
            direct = false;
        }
    }

    @Override
    public void execute(Runnable task) {
        if (running.isHeldByCurrentThread() && direct) {
            direct = false;
            task.run();
        } else {
            submit(task);
        }
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        environment.schedule(() -> submit(task), unit.toNanos(delay));
    }

    /** Drops the waiting and all later tasks. The running task continues. */
    void stop() {
        synchronized (this) {
            stopped = true;
            waiting.clear();
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** Stops, and runs an action after the running task, at once within it. */
    void stopAndThen(Runnable action) {
        stop();
        running.lock();
        try {
            action.run();
        } finally {
            running.unlock();
        }
    }
}
