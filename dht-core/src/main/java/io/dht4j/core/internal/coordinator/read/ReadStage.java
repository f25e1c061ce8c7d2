package io.dht4j.core.internal.coordinator.read;

import java.util.concurrent.CompletableFuture;

/**
 * The stage of a read. The read is abandoned when the caller cancels the stage that it got. Stages that the caller
 * derives from it do not abandon the read.
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
     * Creates a stage. The caller gets it if it is done by then, else a stage derived from it.
     *
     * @param operation the read
     * @param <T> the result
     * @return an incomplete stage
     */
    public static <T> ReadStage<T> of(ReadOperation operation) {
        return new ReadStage<>(operation, false);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        // A stage that is done goes to the caller itself, and those derived from it have nothing to abandon.
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
