package io.dht4j.transport.common;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds the share of an event loop that TLS handshakes take. A handshake computes for about a millisecond on the loop
 * that also carries the calls of peers, and any client may begin one. So the steps of handshakes run for a slice of
 * time at most, and at least one step; then the loop has as much time for all other work. Waiting steps are served
 * round-robin by address, so that a client with many connections does not delay the handshakes of others. One object
 * for each event loop and listener, used by the loop's thread only; does not block.
 */
public final class HandshakeQueue {

    /** How long steps run without a pause, if the first one does not take longer. */
    static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private final Delay delay;
    /** The steps that wait, by address; the first address has its turn next. */
    private final Map<CallerNetwork, Set<Runnable>> waiting = new LinkedHashMap<>();
    /** The earliest begin of the next slice, by the clock. */
    private long freeAt;

    /** Whether a slice runs, or the next one is scheduled. */
    private boolean busy;

    /** Runs a task later on the event loop. */
    @FunctionalInterface
    public interface Delay {

        /**
         * Runs a task later, after other work of the loop.
         *
         * @param task the task
         * @param nanos how much later
         */
        void after(Runnable task, long nanos);
    }

    /**
     * Creates an empty queue.
     *
     * @param nanoTime the monotonic clock
     * @param delay runs tasks later on the loop
     */
    public HandshakeQueue(LongSupplier nanoTime, Delay delay) {
        this.nanoTime = nanoTime;
        this.delay = delay;
        this.freeAt = nanoTime.getAsLong();
    }

    /**
     * Runs a step of a handshake, at once if it is time for one. A connection has one step in the queue at a time, and
     * removes it when it ends, so the listener's limit of connections bounds the queue.
     *
     * @param source the source of the connection
     * @param step continues the handshake; does not throw
     */
    public void run(CallerNetwork source, Runnable step) {
        waiting.computeIfAbsent(source, address -> new LinkedHashSet<>(2)).add(step);
        if (!busy) {
            busy = true;
            runSlice();
        }
    }

    /**
     * Removes a step that waits. Without effect if it has run.
     *
     * @param source the source of the connection
     * @param step the step of the connection
     */
    public void remove(CallerNetwork source, Runnable step) {
        waiting.computeIfPresent(source, (address, steps) -> {
            steps.remove(step);
            return steps.isEmpty() ? null : steps;
        });
    }

    private void runSlice() {
        long begun = nanoTime.getAsLong();
        if (freeAt - begun > 0) {
            delay.after(this::runSlice, freeAt - begun);
            return;
        }
        long now = begun;
        try {
            while (!waiting.isEmpty() && now - begun < SLICE_NANOS) {
                next().run();
                now = nanoTime.getAsLong();
            }
        } finally {
            now = nanoTime.getAsLong();
            freeAt = now + (now - begun);
            busy = !waiting.isEmpty();
            if (busy) {
                delay.after(this::runSlice, Math.max(1, now - begun));
            }
        }
    }

    /** Removes a step of the address whose turn it is, which has its next turn after all others. */
    private Runnable next() {
        Map.Entry<CallerNetwork, Set<Runnable>> first =
                waiting.entrySet().iterator().next();
        CallerNetwork source = first.getKey();
        Set<Runnable> steps = first.getValue();
        waiting.remove(source);
        Iterator<Runnable> oldest = steps.iterator();
        Runnable step = oldest.next();
        oldest.remove();
        if (!steps.isEmpty()) {
            waiting.put(source, steps);
        }
        return step;
    }
}
