package io.dht4j;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An operation on an atomic key with an id of its caller, who may have begun it before. */
final class RepeatedOperation {

    private RepeatedOperation() {}

    /**
     * Returns the outcome of all attempts: one that was not executed now may have been executed before.
     *
     * @param attempt the outcome of this one
     * @param options those of the operation
     */
    static <T> CompletionStage<T> of(CompletionStage<T> attempt, CallOptions options) {
        return options.requestId().isEmpty()
                ? attempt
                : attempt.exceptionallyCompose(error -> CompletableFuture.failedFuture(
                        DhtException.unwrap(error) instanceof DhtException failure
                                        && failure.code().action() != ErrorCode.Action.FIX_REQUEST
                                ? unknown(failure, options.requestId().get())
                                : DhtException.unwrap(error)));
    }

    private static IndeterminateException unknown(DhtException failure, RequestId id) {
        ErrorCode code =
                failure.code().action() == ErrorCode.Action.REPEAT_ONLY_THIS ? failure.code() : ErrorCode.NO_REPLY;
        return new IndeterminateException(code, String.valueOf(failure.getMessage())).withRequestId(id);
    }
}
