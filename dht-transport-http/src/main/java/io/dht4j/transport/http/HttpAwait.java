package io.dht4j.transport.http;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting while closing: bounded, and through interrupts, which are kept for the caller. */
final class HttpAwait {

    private HttpAwait() {}

    /** Waits for a future to complete in whatever way. False if it has not by the end of the bound. */
    static boolean done(CompletableFuture<?> future, Duration bound) {
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
