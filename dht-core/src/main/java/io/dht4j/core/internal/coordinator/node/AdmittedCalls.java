package io.dht4j.core.internal.coordinator.node;

import io.dht4j.DhtException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.CallerStage;
import io.dht4j.core.internal.coordinator.quorum.InternalErrors;
import io.dht4j.core.internal.coordinator.write.WriteResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the calls of this node's application within the limits of admission. Does not block; safe for use by any number
 * of threads.
 */
final class AdmittedCalls {

    private static final Logger LOG = LoggerFactory.getLogger(AdmittedCalls.class);

    private final Admission admission;

    AdmittedCalls(Admission admission) {
        this.admission = admission;
    }

    /**
     * Admits a call, starts it, and removes it when it has ended.
     *
     * @param bytes the bytes of the call, zero or more
     * @param work starts the call
     * @return the outcome; every failure, also of the admission, fails the stage
     */
    <T> CompletableFuture<T> run(long bytes, Supplier<CompletableFuture<T>> work) {
        try {
            admission.enter(bytes);
        } catch (DhtException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> running;
        try {
            running = work.get();
        } catch (RuntimeException | Error e) {
            running = failed(e);
        }
        if (running.isDone()) {
            admission.leave(bytes);
            return running;
        }
        // So that the caller's next call finds the room that this one leaves.
        return CallerStage.behind(running, (result, error) -> admission.leave(bytes));
    }

    /**
     * Admits a write and starts it.
     *
     * @param bytes the bytes of the write, zero or more
     * @param work starts the write. Its result ends the admission, or this method does if the work throws
     * @return the outcome; every failure, also of the admission, fails the stage
     */
    CompletionStage<Version> write(long bytes, Supplier<WriteResult> work) {
        try {
            admission.enter(bytes);
        } catch (DhtException e) {
            return CompletableFuture.failedFuture(e);
        }
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            admission.leave(bytes);
            return failed(e);
        }
    }

    private static <T> CompletableFuture<T> failed(Throwable error) {
        if (error instanceof DhtException expected) {
            return CompletableFuture.failedFuture(expected);
        }
        // An error, mostly a lack of memory, ends the call that it met and nothing else.
        LOG.error("a call failed in an unexpected way", error);
        return CompletableFuture.failedFuture(InternalErrors.of(error));
    }
}
