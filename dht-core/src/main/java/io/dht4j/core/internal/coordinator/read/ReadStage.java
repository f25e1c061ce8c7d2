package io.dht4j.core.internal.coordinator.read;

import java.util.concurrent.CompletableFuture;

/**
 * The stage of a read. When the caller cancels the one that it was given, the read is abandoned. Stages that the caller
 * derives from it are its own affair: cancelling them ends nothing else.
 *
 * @param <T> the result
 */
public final class ReadStage<T> extends CompletableFuture<T> {

    private final ReadOperation operation;
    private final boolean outermost;

    private ReadStage(ReadOperation operation, boolean outermost) {
        this.operation = operation;
        this.outermost = outermost;
    }

    /**
     * A stage from which one is derived that the caller gets, unless it is done by then and the caller gets it itself.
     */
    public static <T> ReadStage<T> of(ReadOperation operation) {
        return new ReadStage<>(operation, false);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        // One that is done goes to the caller as it is, so there is nothing that those derived from it could end.
        return outermost || isDone() ? new CompletableFuture<>() : new ReadStage<>(operation, true);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            operation.abandon();
        }
        return cancelled;
    }
}
