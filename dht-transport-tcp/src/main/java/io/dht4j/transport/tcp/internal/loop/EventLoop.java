package io.dht4j.transport.tcp.internal.loop;

import io.dht4j.transport.common.HandshakeQueue;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.calls.Inbox;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread with a selector: the connections, timers and tasks that belong to it. In each turn it handles the channels
 * that are ready, then the timers, then the tasks. So the output that a turn's bytes cause is written together at its
 * end.
 *
 * <p>A task from another thread wakes the selector only if the loop sleeps. Code on the loop must not block. An
 * exception of a connection or a task ends that one and not the loop.
 *
 * <p>{@link #execute} is for any thread, all other methods for the loop's own.
 */
public final class EventLoop {

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    /** The JDK's TLS wants room for a longest record before it looks whether the record has come completely. */
    private static final int MORE_BYTES = 34 * 1024;

    private static final long MAX_SLEEP_NANOS = TimeUnit.HOURS.toNanos(1);

    private final Selector selector;
    private final Thread thread;
    private final long sweepNanos;
    private final Inbox<LoopTask> tasks = new Inbox<>();
    private final AtomicBoolean asleep = new AtomicBoolean();
    private final RateLimitedLog failures = new RateLimitedLog(LOG::warn);
    private volatile boolean ending;
    private volatile boolean ended;

    // For the loop's thread. The tasks of each turn are no new objects.
    private final Consumer<SelectionKey> ready = this::ready;
    private final PriorityQueue<LoopTimer> timers = new PriorityQueue<>();
    private final Set<Resident> residents = new LinkedHashSet<>();
    private final LoopTimer sweep = new LoopTimer(this::sweep);
    private final HandshakeQueue handshakes = new HandshakeQueue(System::nanoTime, this::after);
    private final BufferPool buffers = new BufferPool();
    private final ByteBuffer received = ByteBuffer.allocateDirect(BufferPool.BUFFER_BYTES + MORE_BYTES);
    private final ByteBuffer encrypted = ByteBuffer.allocateDirect(BufferPool.BUFFER_BYTES);

    /** Creates a loop whose thread has not started; {@code sweepNanos} is the interval of {@link Resident#sweep}. */
    EventLoop(String name, long sweepNanos) throws IOException {
        this.sweepNanos = sweepNanos;
        this.selector = Selector.open();
        this.thread = new Thread(this::run, name);
    }

    Thread thread() {
        return thread;
    }

    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /**
     * Runs a task in this turn, or soon.
     *
     * @return false if the loop has ended and may not run it
     */
    public boolean execute(LoopTask task) {
        if (task.submit()) {
            tasks.put(task);
            if (asleep.get() && asleep.compareAndSet(true, false)) {
                selector.wakeup();
            }
        }
        // The loop sets its mark first and then takes its last tasks; this method puts first and then looks.
        return !ended;
    }

    /** Sets a timer, unless it is set to an earlier moment of {@link System#nanoTime()}. */
    public void set(LoopTimer timer, long moment) {
        assert isCurrent();
        if (timer.isSetBy(moment)) {
            return;
        }
        unset(timer);
        timer.set(moment);
        boolean isAdded = false;
        try {
            isAdded = timers.add(timer);
        } finally {
            if (!isAdded) {
                // For lack of memory. A timer that seems to be set would never be set again.
                timer.unset();
            }
        }
    }

    public void unset(LoopTimer timer) {
        if (timer.isSet()) {
            timers.remove(timer);
            timer.unset();
        }
    }

    /** Begins to look after a resident. */
    public void add(Resident resident) {
        assert isCurrent();
        residents.add(resident);
        set(sweep, System.nanoTime() + sweepNanos);
    }

    public void remove(Resident resident) {
        assert isCurrent();
        residents.remove(resident);
    }

    /** Registers a channel; its owner is called when it is ready. */
    public SelectionKey register(SelectableChannel channel, int operations, Selectable owner) throws IOException {
        assert isCurrent();
        return channel.register(selector, operations, owner);
    }

    /** Registers a channel whose owner is attached before the next turn. */
    public SelectionKey register(SelectableChannel channel) throws IOException {
        assert isCurrent();
        return channel.register(selector, 0);
    }

    private void after(Runnable task, long nanos) {
        set(new LoopTimer(task), System.nanoTime() + nanos);
    }

    /** Returns the queue of the TLS handshakes that others have begun. */
    public HandshakeQueue handshakes() {
        return handshakes;
    }

    /** Returns the buffers of connections. */
    public BufferPool buffers() {
        return buffers;
    }

    /** Returns the buffer for received bytes, which is emptied before the next connection reads. */
    ByteBuffer received() {
        return received;
    }

    /** Returns the buffer for encrypted bytes, used like {@link #received}, which is longer by a record of TLS. */
    public ByteBuffer encrypted() {
        return encrypted;
    }

    /** Ends the loop and all its residents soon. For any thread. */
    void end() {
        ending = true;
        selector.wakeup();
    }

    private void run() {
        try {
            while (!ending) {
                turn();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the selector of " + thread.getName() + " has failed", e);
        } finally {
            close();
        }
    }

    private void turn() throws IOException {
        // An interrupted thread would close the channels that it uses; no caller has a reason to interrupt this one.
        Thread.interrupted();
        long sleep = untilNextTimer();
        if (sleep <= 0) {
            selector.selectNow(ready);
        } else {
            asleep.set(true);
            // Others put a task first and then look whether the loop sleeps.
            if (tasks.isEmpty() && !ending) {
                selector.select(ready, TimeUnit.NANOSECONDS.toMillis(sleep) + 1);
            } else {
                selector.selectNow(ready);
            }
            asleep.set(false);
        }
        runTimers();
        runTasks();
    }

    private long untilNextTimer() {
        LoopTimer next = timers.peek();
        return next == null ? MAX_SLEEP_NANOS : Math.min(MAX_SLEEP_NANOS, next.dueAt() - System.nanoTime());
    }

    private void ready(SelectionKey key) {
        Selectable owner = (Selectable) key.attachment();
        try {
            if (key.isValid()) {
                owner.ready(key);
            }
        } catch (RuntimeException | Error e) {
            report(e);
            try {
                owner.fail(e);
            } catch (RuntimeException | Error again) {
                report(again);
            }
        }
    }

    private void runTimers() {
        LoopTimer next = timers.peek();
        if (next == null) {
            return;
        }
        long now = System.nanoTime();
        while (next != null && next.dueAt() - now <= 0) {
            timers.remove();
            next.unset();
            run(next.action());
            next = timers.peek();
        }
    }

    private void runTasks() {
        for (LoopTask task = tasks.takeAll(); task != null; ) {
            LoopTask next = Inbox.unlinked(task);
            run(task);
            task = next;
        }
    }

    private void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            report(e);
        }
    }

    private void report(Throwable error) {
        try {
            failures.log(() -> "a task of thread " + thread.getName() + " failed: " + error);
            LOG.debug("{} goes on after a failure", thread.getName(), error);
        } catch (OutOfMemoryError e) {
            // The failed object was ended; the next report may succeed.
            return;
        }
    }

    private void sweep() {
        if (residents.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        try {
            for (Resident resident : List.copyOf(residents)) {
                run(() -> resident.sweep(now));
            }
        } finally {
            // Also after an out-of-memory error.
            set(sweep, now + sweepNanos);
        }
    }

    /** Ends all objects on the loop, after any end of the loop. */
    private void close() {
        ended = true;
        runTasks();
        do {
            endResidents();
            // One of the last tasks may add a resident.
            runTasks();
        } while (!residents.isEmpty());
        discard();
    }

    /** Ends and removes all residents. Needs hardly any memory, since a lack of memory may have ended the loop. */
    private void endResidents() {
        while (!residents.isEmpty()) {
            Resident resident = residents.iterator().next();
            residents.remove(resident);
            try {
                resident.loopEnds();
            } catch (RuntimeException | Error e) {
                report(e);
            }
        }
    }

    /** Closes the selector; for a loop whose thread was never started, or ends. */
    void discard() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.warn("closing the selector of {} failed", thread.getName(), e);
        }
    }
}
