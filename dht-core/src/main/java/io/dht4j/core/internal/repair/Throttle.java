package io.dht4j.core.internal.repair;

import io.dht4j.ErrorCode;
import io.dht4j.spi.Environment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Limits the load of repair. Work on the store runs on the store threads. After each step, repair rests for as long as
 * the step took, and for as long as its bytes take at the allowed rate. Safe for use by any number of threads.
 */
public final class Throttle {

    private final Environment environment;
    private final LongSupplier bytesPerSecond;
    private final BooleanSupplier isClosed;

    /**
     * Creates a throttle.
     *
     * @param environment timers and store threads
     * @param bytesPerSecond returns the allowed rate, 1 or more; it may change
     * @param isClosed returns whether no more work begins
     */
    public Throttle(Environment environment, LongSupplier bytesPerSecond, BooleanSupplier isClosed) {
        this.isClosed = isClosed;
        this.environment = environment;
        this.bytesPerSecond = bytesPerSecond;
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

    private static RepairException closing() {
        return new RepairException(ErrorCode.NOT_SERVING, "this node is closing");
    }

    /** Returns a future that completes after some nanoseconds. */
    public CompletableFuture<Void> rest(long nanos) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        environment.schedule(() -> over.complete(null), nanos);
        return over;
    }

    /** Runs a step that moves some bytes, and the rest after it. */
    public <T> CompletableFuture<T> throttled(long bytes, Supplier<CompletableFuture<T>> step) {
        if (isClosed.getAsBoolean()) {
            return CompletableFuture.failedFuture(closing());
        }
        long began = environment.nanoTime();
        return step.get().thenCompose(result -> {
            long took = environment.nanoTime() - began;
            long allowed = bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond.getAsLong();
            return rest(Math.max(took, allowed)).thenApply(rested -> result);
        });
    }
}
