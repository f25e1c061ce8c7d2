package io.dht4j.examples.demo;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Repeats a call after a pause where its error allows that: a busy node refuses what it has no room for. The pauses
 * double, up to two seconds, and differ by chance, so that not all calls come back together.
 */
final class BackOff {

    private static final int ATTEMPTS = 30;
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    private BackOff() {}

    /** The outcome of the last attempt. Does not block. */
    static <T> CompletionStage<T> call(Supplier<CompletionStage<T>> call) {
        return attempt(call, 1);
    }

    private static <T> CompletionStage<T> attempt(Supplier<CompletionStage<T>> call, int number) {
        return call.get()
                .handle((result, error) -> {
                    if (error == null) {
                        return CompletableFuture.completedFuture(result);
                    }
                    if (number == ATTEMPTS || !mayBeMadeAgain(error)) {
                        return CompletableFuture.<T>failedFuture(error);
                    }
                    return CompletableFuture.supplyAsync(() -> attempt(call, number + 1), after(number))
                            .thenCompose(stage -> stage);
                })
                .thenCompose(stage -> stage);
    }

    private static boolean mayBeMadeAgain(Throwable error) {
        return DhtException.unwrap(error) instanceof DhtException failure
                && failure.code().action() != ErrorCode.Action.FIX_REQUEST;
    }

    private static Executor after(int attempts) {
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(attempts, 10));
        return CompletableFuture.delayedExecutor(
                ThreadLocalRandom.current().nextLong(pause / 2, pause + 1), TimeUnit.MILLISECONDS);
    }
}
