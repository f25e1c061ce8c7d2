package io.dht4j;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Waits for stages of a cluster, which complete by their deadlines. */
final class Waiting {

    private Waiting() {}

    /**
     * Executes an operation, and waits for its result. Holds no monitor, so that a virtual thread leaves its carrier.
     *
     * @throws DhtException if the stage has failed with one, with the stack trace of this thread
     * @throws CancellationException if the stage has failed with one, with the same message, and the stack trace of
     *     this thread
     * @throws IllegalStateException if this thread runs an action of a stage; then the operation was not executed
     */
    static <T> T await(Supplier<? extends CompletionStage<T>> operation) {
        return await(
                operation, "interrupted while waiting: an operation that changes something may be executed or not");
    }

    /** Does the same as {@link #await(Supplier)}, and fails with a text if this thread is interrupted. */
    static <T> T await(Supplier<? extends CompletionStage<T>> operation, String interrupted) {
        if (LibraryThread.isCallingBack()) {
            throw new IllegalStateException("nothing done: this thread runs an action of a stage, an observer or a"
                    + " listener, and may be needed to complete what it would wait for; use the stage in place of"
                    + " sync(), or continue on another thread, for example with thenApplyAsync");
        }
        try {
            return getOrCancel(operation.get().toCompletableFuture(), interrupted);
        } catch (ExecutionException e) {
            Throwable failure = DhtException.unwrap(e);
            if (failure instanceof DhtException known) {
                throw known.traced();
            }
            if (failure instanceof RuntimeException ofCaller) {
                throw ofCaller;
            }
            throw new IllegalStateException("the call failed in an unexpected way: " + failure, failure);
        } catch (CancellationException e) {
            // A new one has this thread in its trace, on each JDK, and the reason as its message.
            CancellationException traced =
                    new CancellationException(DhtException.unwrap(e).getMessage());
            traced.initCause(e);
            throw traced;
        }
    }

    /** Waits; if this thread is interrupted before the stage ends, cancels it, so that no one waits for its result. */
    private static <T> T getOrCancel(CompletableFuture<T> waited, String interrupted) throws ExecutionException {
        while (true) {
            try {
                return waited.get();
            } catch (InterruptedException e) {
                boolean isCancelled = waited.cancel(false);
                Thread.currentThread().interrupt();
                if (isCancelled) {
                    throw (IndeterminateException) new IndeterminateException(ErrorCode.NO_REPLY, interrupted).traced();
                }
                // It has ended meanwhile: get() returns its result without a look at the interrupt.
            }
        }
    }
}
