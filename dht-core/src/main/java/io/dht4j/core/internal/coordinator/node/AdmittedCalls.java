package io.dht4j.core.internal.coordinator.node;

import io.dht4j.DhtException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.CallerStage;
import io.dht4j.core.internal.coordinator.quorum.InternalErrors;
import io.dht4j.core.internal.coordinator.write.WriteResult;
import io.dht4j.core.internal.observation.ObservedCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the calls of this node's application within the limits of admission, and reports their ends. Does not block;
 * safe for use by any number of threads.
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
     * @param observed its observation, which is ended; null without an observer
     * @param bytes the bytes of the call, zero or more
     * @param work starts the call
     * @return the outcome; every failure, also of the admission, fails the stage
     */
    <T> CompletableFuture<T> run(@Nullable ObservedCall observed, long bytes, Supplier<CompletableFuture<T>> work) {
        try {
            admission.enter(bytes);
        } catch (DhtException e) {
            return failed(observed, e);
        }
        CompletableFuture<T> running;
        try {
            running = work.get();
        } catch (RuntimeException | Error e) {
            running = CompletableFuture.failedFuture(failure(e));
        }
        if (running.isDone()) {
            admission.leave(bytes);
            if (observed != null) {
                running.whenComplete((result, error) -> observed.ended(error));
            }
            return running;
        }
        // So that the caller's next call finds the room that this one leaves.
        return observed == null
                ? CallerStage.behind(running, (result, error) -> admission.leave(bytes))
                : CallerStage.behind(running, (result, error) -> {
                    admission.leave(bytes);
                    observed.ended(error);
                });
    }

    /**
     * Admits a write and starts it.
     *
     * @param observed its observation; null without an observer
     * @param bytes the bytes of the write, zero or more
     * @param work starts the write. Its result ends the admission and the observation, or this method does if the work
     *     throws
     * @return the outcome; every failure, also of the admission, fails the stage
     */
    CompletionStage<Version> write(@Nullable ObservedCall observed, long bytes, Supplier<WriteResult> work) {
        try {
            admission.enter(bytes);
        } catch (DhtException e) {
            return failed(observed, e);
        }
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            admission.leave(bytes);
            return failed(observed, failure(e));
        }
    }

    private static <T> CompletableFuture<T> failed(@Nullable ObservedCall observed, DhtException failure) {
        if (observed != null) {
            observed.ended(failure);
        }
        return CompletableFuture.failedFuture(failure);
    }

    private static DhtException failure(Throwable error) {
        if (error instanceof DhtException expected) {
            return expected;
        }
        // An error, mostly a lack of memory, ends the call that it met and nothing else.
        LOG.error("a call failed in an unexpected way", error);
        return InternalErrors.of(error);
    }
}
