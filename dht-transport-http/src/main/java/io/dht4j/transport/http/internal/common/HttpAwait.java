package io.dht4j.transport.http.internal.common;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits while closing: for a bounded time, and through interrupts, which are restored for the caller. */
public final class HttpAwait {

    private HttpAwait() {}

    /** Waits for a future to complete with a value or an error. Returns false if it has not by the end of the bound. */
    public static boolean done(CompletableFuture<?> future, Duration bound) {
        boolean interrupted = false;
        long end = System.nanoTime() + bound.toNanos();
        try {
            while (true) {
                try {
                    future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    return true;
                } catch (TimeoutException e) {
                    return false;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
