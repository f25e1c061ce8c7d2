package io.dht4j.transport.common;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits while closing: for a bounded time, and through interrupts, which are restored for the caller. */
public final class BoundedWait {

    private BoundedWait() {}

    /** An event that can be awaited. */
    @FunctionalInterface
    public interface Event {

        /**
         * Blocks until the event has come or the time is over.
         *
         * @param time the longest wait, 0 or more
         * @param unit the unit of the time
         * @return whether the event has come
         * @throws InterruptedException if the thread is interrupted
         */
        boolean await(long time, TimeUnit unit) throws InterruptedException;
    }

    /**
     * Waits for an event. Blocks.
     *
     * @param end the end of the wait, a moment of {@link System#nanoTime()}
     * @param event the event
     * @return whether the event has come by then
     */
    public static boolean until(long end, Event event) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return event.await(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits for an event. Blocks.
     *
     * @param bound the longest wait
     * @param event the event
     * @return whether the event has come in this time
     */
    public static boolean upTo(Duration bound, Event event) {
        return until(System.nanoTime() + bound.toNanos(), event);
    }

    /**
     * Waits for a future to complete with a value or an error. Blocks.
     *
     * @param bound the longest wait
     * @param future the future
     * @return whether it has completed in this time
     */
    public static boolean upTo(Duration bound, CompletableFuture<?> future) {
        return upTo(bound, (time, unit) -> {
            try {
                future.get(time, unit);
                return true;
            } catch (ExecutionException e) {
                return true;
            } catch (TimeoutException e) {
                return false;
            }
        });
    }
}
