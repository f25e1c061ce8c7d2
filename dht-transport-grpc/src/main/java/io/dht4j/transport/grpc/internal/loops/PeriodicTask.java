package io.dht4j.transport.grpc.internal.loops;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task for {@code scheduleWithFixedDelay}, which silently stops when its task throws. This task continues, also after
 * an {@link OutOfMemoryError}. For one thread.
 */
public final class PeriodicTask implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);

    private final String what;
    private final Runnable task;
    /** The failure, which is logged at the next run, when there may be memory for that again. */
    private @Nullable Throwable failure;

    /** Creates the task; {@code what} names it in the log. */
    public PeriodicTask(String what, Runnable task) {
        this.what = what;
        this.task = task;
    }

    @Override
    public void run() {
        try {
            Throwable last = failure;
            if (last != null) {
                LOG.error("{} failed and is tried again", what, last);
                failure = null;
            }
            task.run();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }
}
