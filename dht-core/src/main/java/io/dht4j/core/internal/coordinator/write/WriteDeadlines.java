package io.dht4j.core.internal.coordinator.write;

import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the writes in flight at their deadlines, with one timer for all of them. Nearly all writes end before their
 * deadlines, and a timer for each would cost several objects.
 *
 * <p>The timer is set to the earliest deadline when it was last set, or to an earlier one. It stays when the write of
 * that deadline ends: then it finds no expired write, and is set again. So every deadline is observed, and most writes
 * set no timer. Each expired write ends in a task of its own, so that it delays no other.
 *
 * <p>Does not block; safe for use by any number of threads. The lock is held for a few steps, which grow with the
 * logarithm of the number of writes.
 */
public final class WriteDeadlines {

    private static final Logger LOG = LoggerFactory.getLogger(WriteDeadlines.class);

    private final Environment environment;
    // Guarded by this, as the following fields.
    /** A binary heap: no write has an earlier deadline than the one at half its index. */
    private final List<Expiring> heap = new ArrayList<>();

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

    /** A write with a deadline. It has its index in the heap, so that its removal needs no search. */
    abstract static class Expiring {

        private static final int NOWHERE = -1;

        private final long deadline;
        /** Its index in the heap. Guarded by the deadlines. */
        private int index = NOWHERE;

        /**
         * Creates a write without a place.
         *
         * @param deadline by the monotonic clock
         */
        Expiring(long deadline) {
            this.deadline = deadline;
        }

        /** Returns its deadline by the monotonic clock. */
        final long deadline() {
            return deadline;
        }

        private boolean isBefore(Expiring other) {
            return deadline - other.deadline < 0;
        }

        /** Ends the write, unless it has ended. Called once, after the deadline. */
        abstract void expire();
    }

    /**
     * Adds a write, which expires at its deadline unless it is removed before.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the timers have ended; then it is not added
     */
    synchronized void add(Expiring write) {
        heap.add(write);
        rise(write, heap.size() - 1);
        if (timer == null || write.deadline - timerAt < 0) {
            try {
                setTimer(heap.get(0).deadline);
            } catch (RuntimeException | Error e) {
                remove(write);
                throw e;
            }
        }
    }

    /** Removes a write that has ended. Does nothing if it no longer has a deadline. */
    synchronized void remove(Expiring write) {
        int index = write.index;
        if (index == Expiring.NOWHERE) {
            return;
        }
        write.index = Expiring.NOWHERE;
        Expiring last = heap.remove(heap.size() - 1);
        if (last != write) {
            sink(last, index);
            rise(last, last.index);
        }
    }

    /** Places a write at an index, or closer to the first one. */
    private void rise(Expiring write, int from) {
        int index = from;
        while (index > 0 && write.isBefore(heap.get((index - 1) / 2))) {
            place(heap.get((index - 1) / 2), index);
            index = (index - 1) / 2;
        }
        place(write, index);
    }

    /** Places a write at an index, or further from the first one. */
    private void sink(Expiring write, int from) {
        int index = from;
        while (2 * index + 1 < heap.size()) {
            int child = 2 * index + 1;
            if (child + 1 < heap.size() && heap.get(child + 1).isBefore(heap.get(child))) {
                child++;
            }
            if (!heap.get(child).isBefore(write)) {
                break;
            }
            place(heap.get(child), index);
            index = child;
        }
        place(write, index);
    }

    private void place(Expiring write, int index) {
        heap.set(index, write);
        write.index = index;
    }

    /** Replaces the timer. If the new one fails, the former one remains. */
    private void setTimer(long at) {
        Environment.Timer next = environment.schedule(this::sweep, Math.max(0, at - environment.nanoTime()));
        cancelTimer();
        timer = next;
        timerAt = at;
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void sweep() {
        Throwable failure = null;
        for (Expiring due = takeDue(); due != null; due = takeDue()) {
            try {
                expire(due);
            } catch (RuntimeException | Error e) {
                // One write could not be ended, mostly for lack of memory. The others still end.
                failure = e;
            }
        }
        if (failure != null) {
            LOG.error("a write could not be ended at its deadline", failure);
        }
    }

    /** Removes the write of the earliest deadline if that has passed; otherwise sets the timer, and returns null. */
    private synchronized @Nullable Expiring takeDue() {
        cancelTimer();
        if (heap.isEmpty()) {
            return null;
        }
        Expiring earliest = heap.get(0);
        if (earliest.deadline - environment.nanoTime() > 0) {
            try {
                setTimer(earliest.deadline);
                return null;
            } catch (RuntimeException | Error e) {
                // The timers have ended, or memory is short. Without a timer the write might never end.
                LOG.debug("a write ends before its deadline", e);
            }
        }
        remove(earliest);
        return earliest;
    }

    private void expire(Expiring write) {
        try {
            environment.executor().execute(write::expire);
        } catch (RuntimeException | Error e) {
            LOG.debug("a write expires on the thread of the timer", e);
            write.expire();
        }
    }

    /** Cancels the timer if no writes are in flight. The deadlines of others still pass. */
    public synchronized void close() {
        if (heap.isEmpty()) {
            cancelTimer();
        }
    }
}
