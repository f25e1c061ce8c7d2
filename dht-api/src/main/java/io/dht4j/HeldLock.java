package io.dht4j;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A {@link DhtLock} that is held. Its lease is renewed at each third of it, and every 5 s at least, until
 * {@link #release()} or {@link #close()}. Safe for use by any number of threads.
 */
public interface HeldLock extends AutoCloseable {

    /**
     * Returns the fencing token: greater than those of all earlier holders of this lock, the same until the end. What
     * is guarded by the lock refuses tokens that are smaller than the greatest one it has seen.
     *
     * @return a positive number
     */
    long token();

    /**
     * Returns how long this holder may be sure of the lock, by its own clock. Asks no node.
     *
     * @return the rest of the lease; zero if the lock is no longer held
     */
    Duration remaining();

    /**
     * Returns the end of this holding, by which work under the lock must have stopped. To poll, use
     * {@link #remaining()}.
     *
     * @return a stage that completes with the reason when the lock is released, when its lease could not be renewed,
     *     when it was broken, and when the cluster is closed: by a timer at the end of the lease at the latest. Its
     *     actions run on the thread that releases or closes, or on one of the cluster, and must not block
     */
    CompletionStage<String> ended();

    /**
     * Gives the lock back. The holding ends at once; does not block. May be repeated if it has failed.
     *
     * @return a stage that completes when the lock is free: with true if it was held until this call, with false if it
     *     had ended. If the stage fails, the lock is free a lease after its last renewal at the latest
     */
    CompletionStage<Boolean> release();

    /**
     * Gives the lock back, and waits until it is free. If the holding has ended by itself, does not wait, and begins to
     * remove what the holder may have left.
     *
     * @throws DhtException if no majority has answered, or this thread is interrupted; the lock is free a lease after
     *     its last renewal at the latest
     */
    @Override
    default void close() {
        Waiting.await(
                () -> release(),
                "interrupted while releasing " + this + ": it is free a lease after its last renewal at the latest");
    }
}
