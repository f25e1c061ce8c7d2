package io.dht4j.core.internal.replica;

import io.dht4j.core.internal.admission.AgedQueue;
import io.dht4j.core.internal.admission.QueueLimits;
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
 * Work of one kind that waits for the store's threads, some of which take it. Between two pieces a thread gives way to
 * what else waits for the threads. Safe for use by any number of threads.
 *
 * @param <T> the work
 */
final class StoreLane<T> {

    private static final Logger LOG = LoggerFactory.getLogger(StoreLane.class);

    /** When a thread is tried to be had again, after there was no memory for one. */
    private static final long START_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Environment environment;
    private final AgedQueue<T> queue;
    private final int maxWorkers;
    private final ToLongFunction<T> weight;
    private final long room;
    private final Function<AgedQueue.Taken<T>, Runnable> work;
    private final AtomicInteger workers = new AtomicInteger();

    /**
     * A lane on which nothing waits.
     *
     * @param maxWorkers how many threads take from it at a time
     * @param weight of a piece of work
     * @param room how much is taken together
     * @param work does what is taken, and returns how to reply to it
     */
    StoreLane(
            Environment environment,
            QueueLimits limits,
            int maxWorkers,
            ToLongFunction<T> weight,
            long room,
            Function<AgedQueue.Taken<T>, Runnable> work) {
        this.environment = environment;
        this.queue = new AgedQueue<>(limits);
        this.maxWorkers = maxWorkers;
        this.weight = weight;
        this.room = room;
        this.work = work;
    }

    /**
     * Adds work, which will be done or given up. If the store's threads have ended, it is done at once: the store is
     * closed or about to be.
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
            // Whoever adds work must not do it: it may be an event loop.
            workers.decrementAndGet();
            environment.schedule(this::start, START_AGAIN_NANOS);
        }
    }

    /** Whether there is room for one more thread. */
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
            // Before the replies: what they trigger must not wait for the next work to be started.
            here = isMoreLeft() && !handOver();
            replies.run();
        }
    }

    /** A thread that ended here would count for ever, and its lane would stand still. */
    private Runnable takeSome() {
        try {
            return work.apply(queue.take(environment.nanoTime(), weight, room));
        } catch (RuntimeException | Error e) {
            LOG.error("work for the store failed in an unexpected way", e);
            return () -> {};
        }
    }

    /** Whether this thread shall go on; if not, it no longer counts. */
    private boolean isMoreLeft() {
        if (!queue.isEmpty()) {
            return true;
        }
        workers.decrementAndGet();
        // Whoever has added something since saw a thread that still counted.
        return !queue.isEmpty() && begin();
    }
}
