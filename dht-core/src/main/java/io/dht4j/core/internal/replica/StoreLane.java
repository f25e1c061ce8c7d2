package io.dht4j.core.internal.replica;

import io.dht4j.core.internal.admission.AgedQueue;
import io.dht4j.core.options.OverloadProtection.QueueAges;
import io.dht4j.spi.Environment;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of work of one kind that some of the store threads serve. Between two pieces of work, a thread yields to
 * other work that waits for the threads. Safe for use by any number of threads.
 *
 * @param <T> the work
 */
final class StoreLane<T> {

    private static final Logger LOG = LoggerFactory.getLogger(StoreLane.class);

    /** The delay before a thread is requested again, after there was no memory for one. */
    private static final long START_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Environment environment;
    private final AgedQueue<T> queue;
    private final int maxWorkers;
    private final ToLongFunction<T> weight;
    private final long room;
    private final Function<AgedQueue.Taken<T>, Runnable> work;
    private final AtomicInteger workers = new AtomicInteger();

    /**
     * Creates an empty lane.
     *
     * @param maxWorkers the maximum number of threads that serve the lane at a time
     * @param weight returns the weight of a piece of work
     * @param room the weight of the work that is taken together
     * @param work does the taken work, and returns an action that sends the replies
     */
    StoreLane(
            Environment environment,
            QueueAges ages,
            int maxWorkers,
            ToLongFunction<T> weight,
            long room,
            Function<AgedQueue.Taken<T>, Runnable> work) {
        this.environment = environment;
        this.queue = new AgedQueue<>(ages);
        this.maxWorkers = maxWorkers;
        this.weight = weight;
        this.room = room;
        this.work = work;
    }

    /**
     * Adds work, which will be done or dropped. If the store threads have ended, it is done at once on this thread: the
     * store is closed or about to be.
     */
    void add(List<T> items) {
        queue.add(items, environment.nanoTime());
        start();
    }

    private void start() {
        if (!begin()) {
            return;
        }
        try {
            environment.storeExecutor().execute(this::takeAll);
        } catch (RejectedExecutionException e) {
            takeAll();
        } catch (OutOfMemoryError e) {
            // The calling thread may be an event loop, so it must not do the work.
            workers.decrementAndGet();
            environment.schedule(this::start, START_AGAIN_NANOS);
        }
    }

    /** Counts one more thread; returns false at the maximum. */
    private boolean begin() {
        int now = workers.get();
        while (now < maxWorkers) {
            if (workers.compareAndSet(now, now + 1)) {
                return true;
            }
            now = workers.get();
        }
        return false;
    }

    private boolean handOver() {
        try {
            environment.storeExecutor().execute(this::takeAll);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false;
        }
    }

    private void takeAll() {
        boolean here = true;
        while (here) {
            Runnable replies = takeSome();
            // Before the replies, which must not delay the next work.
            here = isMoreLeft() && !handOver();
            replies.run();
        }
    }

    /** Does some work. Never throws: a thread that ended here would stay counted, and the lane would stop. */
    private Runnable takeSome() {
        try {
            return work.apply(queue.take(environment.nanoTime(), weight, room));
        } catch (RuntimeException | Error e) {
            LOG.error("work for the store failed in an unexpected way", e);
            return () -> {};
        }
    }

    /** Returns whether this thread continues; if not, it is no longer counted. */
    private boolean isMoreLeft() {
        if (!queue.isEmpty()) {
            return true;
        }
        workers.decrementAndGet();
        // A thread that has added work in between saw this thread still counted.
        return !queue.isEmpty() && begin();
    }
}
