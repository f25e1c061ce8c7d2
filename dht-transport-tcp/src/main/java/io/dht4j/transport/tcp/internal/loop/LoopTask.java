package io.dht4j.transport.tcp.internal.loop;

import io.dht4j.transport.common.calls.Linked;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A short task for one {@link EventLoop}, which may be submitted any number of times. While it waits, further
 * submissions have no effect. It never blocks.
 */
public final class LoopTask implements Linked<LoopTask>, Runnable {

    private final Runnable action;
    private final AtomicBoolean waiting = new AtomicBoolean();
    private @Nullable LoopTask next;

    public LoopTask(Runnable action) {
        this.action = action;
    }

    /** Returns false if the task waits already. */
    boolean submit() {
        return !waiting.get() && waiting.compareAndSet(false, true);
    }

    /** Runs the task; for the loop. */
    @Override
    public void run() {
        // Before the task looks for work: later work submits it again.
        waiting.set(false);
        action.run();
    }

    @Override
    public @Nullable LoopTask linked() {
        return next;
    }

    @Override
    public void link(@Nullable LoopTask task) {
        next = task;
    }
}
