package io.dht4j.server.demo;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** Keeps a bounded number of calls in flight. For one thread. */
final class InFlightLimiter {

    private final int size;
    private final Semaphore free;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();

    InFlightLimiter(int size) {
        this.size = size;
        this.free = new Semaphore(size);
    }

    /** Starts a call as soon as there is room. Blocks until then; throws the failure of an earlier call. */
    void add(Supplier<CompletionStage<?>> call) {
        free.acquireUninterruptibly();
        if (failure.isDone()) {
            free.release();
            failure.join();
        }
        call.get().whenComplete((result, error) -> {
            if (error != null) {
                failure.completeExceptionally(error);
            }
            free.release();
        });
    }

    /** Blocks until no call is in flight; throws the failure of the first failed call. */
    void await() {
        free.acquireUninterruptibly(size);
        free.release(size);
        if (failure.isDone()) {
            failure.join();
        }
    }
}
