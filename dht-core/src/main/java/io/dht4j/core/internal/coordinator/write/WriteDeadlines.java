package io.dht4j.core.internal.coordinator.write;

import io.dht4j.spi.Environment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deadlines of the writes in flight, with one timer at the earliest of them. Nearly all writes end before their
 * deadlines, and a timer for each would cost several objects.
 *
 * <p>A write that expires ends in a task of its own, so that it delays no other. Does not block; safe for use by any
 * number of threads: the lock is held for some steps, or while the writes in flight are walked through once a
 * millisecond at most.
 */
public final class WriteDeadlines {

    private static final Logger LOG = LoggerFactory.getLogger(WriteDeadlines.class);

    /** The least time between two sweeps: many writes with deadlines of their own must not cost a sweep each. */
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Environment environment;
    private final Runnable sweep = this::sweep;
    // Guarded by this.
    private @Nullable Watched first;
    private Environment.@Nullable Timer timer;
    private long timerAt;

    /**
     * Creates an object without writes.
     *
     * @param environment time, timers, and the executor on which writes expire
     */
    public WriteDeadlines(Environment environment) {
        this.environment = environment;
    }

    /** A write with a deadline. It is its own element of the list, which costs no object. */
    abstract static class Watched {

        private final long deadline;
        // Guarded by the deadlines, until the write is removed.
        private @Nullable Watched before;
        private @Nullable Watched after;
        private boolean watched;

        /**
         * Creates a write that is not watched yet.
         *
         * @param deadline by the monotonic clock
         */
        Watched(long deadline) {
            this.deadline = deadline;
        }

        /** Returns its deadline by the monotonic clock. */
        final long deadline() {
            return deadline;
        }

        /** Ends the write, unless it has ended. Called once, after the deadline. */
        abstract void expire();
    }

    /**
     * Watches a write until it is removed or expires.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the timers have ended; then it is not watched
     */
    synchronized void add(Watched write) {
        link(write);
        if (timer == null || write.deadline - timerAt < 0) {
            try {
                setTimer(write.deadline);
            } catch (RuntimeException | Error e) {
                unlink(write);
                throw e;
            }
        }
    }

    /** Removes a write that has ended. Does nothing if it is not watched. */
    synchronized void remove(Watched write) {
        if (write.watched) {
            unlink(write);
        }
    }

    private void link(Watched write) {
        write.watched = true;
        write.after = first;
        if (first != null) {
            first.before = write;
        }
        first = write;
    }

    private void unlink(Watched write) {
        write.watched = false;
        if (write.before == null) {
            first = write.after;
        } else {
            write.before.after = write.after;
        }
        if (write.after != null) {
            write.after.before = write.before;
        }
        write.before = null;
        write.after = null;
    }

    /** Replaces the timer. If there is none to be had, the former one remains. */
    private void setTimer(long at) {
        Environment.Timer next = environment.schedule(sweep, Math.max(0, at - environment.nanoTime()));
        if (timer != null) {
            timer.cancel();
        }
        timer = next;
        timerAt = at;
    }

    private void sweep() {
        Watched due = takeDue();
        while (due != null) {
            Watched next = due.after;
            due.after = null;
            expire(due);
            due = next;
        }
    }

    /** Removes the writes whose deadlines have passed. Returns the first one, which the others follow. */
    private synchronized @Nullable Watched takeDue() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        long now = environment.nanoTime();
        long pause = Long.MAX_VALUE;
        Watched due = null;
        Watched next;
        for (Watched write = first; write != null; write = next) {
            next = write.after;
            long left = write.deadline - now;
            if (left <= 0) {
                unlink(write);
                write.after = due;
                due = write;
            } else {
                pause = Math.min(pause, left);
            }
        }
        if (first != null) {
            try {
                setTimer(now + Math.max(pause, LEAST_PAUSE_NANOS));
            } catch (RuntimeException | Error e) {
                // The timers have ended, or memory is short. Without a timer these writes might never end.
                LOG.debug("writes end before their deadlines", e);
                for (Watched write = first; write != null; write = first) {
                    unlink(write);
                    write.after = due;
                    due = write;
                }
            }
        }
        return due;
    }

    private void expire(Watched write) {
        try {
            environment.executor().execute(write::expire);
        } catch (RuntimeException | Error e) {
            LOG.debug("a write expires on the thread of the timer", e);
            try {
                write.expire();
            } catch (RuntimeException | Error again) {
                LOG.error("a write could not be ended at its deadline", again);
            }
        }
    }
}
