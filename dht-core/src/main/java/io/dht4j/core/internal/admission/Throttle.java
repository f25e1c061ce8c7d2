package io.dht4j.core.internal.admission;

import io.dht4j.spi.Environment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Limits the load of work in the background. Work on the store runs on the store threads. Between its steps the work
 * rests, so that the bytes of all users of a throttle keep to the allowed rate. There are no bursts: unused time is not
 * saved up. Safe for use by any number of threads.
 */
public final class Throttle {

    private final Environment environment;
    private final LongSupplier bytesPerSecond;
    private final BooleanSupplier isClosed;

    /** The time until which the bytes so far use the allowed rate. Guarded by this. */
    private long freeNanos;

    /**
     * Creates a throttle.
     *
     * @param environment time, timers and store threads
     * @param bytesPerSecond returns the allowed rate, 1 or more; it may change
     * @param isClosed returns whether further work is refused
     */
    public Throttle(Environment environment, LongSupplier bytesPerSecond, BooleanSupplier isClosed) {
        this.isClosed = isClosed;
        this.environment = environment;
        this.bytesPerSecond = bytesPerSecond;
        this.freeNanos = environment.nanoTime();
    }

    /** Runs blocking work on a store thread. */
    public <T> CompletableFuture<T> onStore(Supplier<T> work) {
        if (isClosed.getAsBoolean()) {
            return CompletableFuture.failedFuture(closing());
        }
        CompletableFuture<T> done = new CompletableFuture<>();
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    done.complete(work.get());
                } catch (RuntimeException | Error e) {
                    done.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            done.completeExceptionally(e);
        }
        return done;
    }

    /** Runs blocking work without a result on a store thread. */
    public CompletableFuture<Void> runOnStore(Runnable work) {
        return onStore(() -> {
                    work.run();
                    return Optional.empty();
                })
                .thenApply(done -> null);
    }

    private static RejectedExecutionException closing() {
        return new RejectedExecutionException("this node is closing");
    }

    /** Returns a future that completes after some nanoseconds, with an exception if further work is refused then. */
    public CompletableFuture<Void> rest(long nanos) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        environment.schedule(
                () -> {
                    if (isClosed.getAsBoolean()) {
                        over.completeExceptionally(closing());
                    } else {
                        over.complete(null);
                    }
                },
                nanos);
        return over;
    }

    /** Returns the monotonic clock of {@link #restAfter}. */
    public long nanoTime() {
        return environment.nanoTime();
    }

    /**
     * Counts the bytes of a step.
     *
     * @param bytes the bytes
     * @param began the earliest time at which they may have moved
     * @return how many nanoseconds from now the rate requires to rest; zero or less if it requires none
     */
    public synchronized long restAfter(long bytes, long began) {
        long begin = freeNanos - began > 0 ? freeNanos : began;
        freeNanos = begin + bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond.getAsLong();
        return freeNanos - environment.nanoTime();
    }

    /**
     * Runs a step that moves some bytes, and the rest after it: for as long as the step took, and for as long as its
     * bytes take at the allowed rate.
     */
    public <T> CompletableFuture<T> throttled(long bytes, Supplier<CompletableFuture<T>> step) {
        if (isClosed.getAsBoolean()) {
            return CompletableFuture.failedFuture(closing());
        }
        long began = environment.nanoTime();
        return step.get().thenCompose(result -> {
            long ended = environment.nanoTime();
            return rest(Math.max(ended - began, restAfter(bytes, ended))).thenApply(rested -> result);
        });
    }
}
