package io.dht4j.transport.http.internal.peer;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs one timer on an event loop for many deadlines: it is set to the earliest reported one. When it runs, its task
 * ends the due calls, and sets it to the earliest remaining deadline. With equal timeouts this takes one timer per
 * timeout, for any number of calls.
 */
public final class LoopTimer {

    /** A moment after every deadline. */
    public static final long NEVER = Long.MAX_VALUE / 2;

    private final PeerLoop loop;
    private final Runnable task;
    /** The origin of all times here, so that plain comparison is safe. */
    private final long origin = System.nanoTime();

    private volatile long dueAt = NEVER;

    // For the event loop.
    private @Nullable Long timer;

    /** Creates a timer that does not stand yet; the task runs on the loop. */
    public LoopTimer(PeerLoop loop, Runnable task) {
        this.loop = loop;
        this.task = task;
    }

    /** Returns the present time, in nanoseconds since this timer was created. */
    long now() {
        return System.nanoTime() - origin;
    }

    /** Returns a moment of {@link System#nanoTime()} as a time of this timer. */
    public long at(long nanoTime) {
        return nanoTime - origin;
    }

    /** Returns whether the timer must be set again for a deadline. For any thread. */
    public boolean isLaterThan(long due) {
        return due < dueAt;
    }

    /** Sets the timer, unless it stands earlier. On the loop. */
    public void setBy(long due) {
        assert loop.isCurrent();
        if (due >= dueAt) {
            return;
        }
        stop();
        dueAt = due;
        long millis = TimeUnit.NANOSECONDS.toMillis(due - now()) + 1;
        timer = loop.context().owner().setTimer(Math.max(1, millis), id -> run());
    }

    private void run() {
        timer = null;
        // Before the calls are read, so that one added in the meantime sets the timer itself.
        dueAt = NEVER;
        task.run();
    }

    /** Stops the timer. On the loop. */
    public void stop() {
        if (timer != null) {
            loop.context().owner().cancelTimer(timer);
            timer = null;
        }
    }
}
