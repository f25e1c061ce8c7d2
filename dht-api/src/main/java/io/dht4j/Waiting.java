package io.dht4j;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Waits for stages of a cluster, which complete by their deadlines. */
final class Waiting {

    private Waiting() {}

    /**
     * Waits for a result. Holds no monitor, so that a virtual thread leaves its carrier.
     *
     * @throws DhtException if the stage has failed with one, with the stack trace of this thread
     */
    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get();
        } catch (ExecutionException e) {
            Throwable failure = DhtException.unwrap(e);
            if (failure instanceof DhtException known) {
                throw known.traced();
            }
            if (failure instanceof RuntimeException ofCaller) {
                throw ofCaller;
            }
            throw new IllegalStateException("the call failed in an unexpected way: " + failure, failure);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IndeterminateException) new IndeterminateException(
                            ErrorCode.NO_REPLY,
                            "interrupted while waiting: an operation that changes something may be executed or not")
                    .traced();
        }
    }
}
