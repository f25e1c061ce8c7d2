package io.dht4j.server.client;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Repeats a call after a pause where its error allows that: a busy node refuses calls that it has no room for. The
 * pauses double, up to two seconds. They are at least as long as the node requests, and vary randomly, so that the
 * calls do not all return together.
 */
public final class BackOff {

    /** The time for which nodes may be overloaded before a caller gives up. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int ATTEMPTS = 30;
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;
    private static final int MOST_DOUBLINGS = 10;

    private BackOff() {}

    /**
     * A request to a node.
     *
     * @param <T> its result
     */
    @FunctionalInterface
    public interface Request<T> {

        /**
         * Sends the request and waits for the answer.
         *
         * @return the answer
         * @throws ClientException if it failed
         */
        T send() throws ClientException;
    }

    /**
     * Sends a request until no node refuses it as overloaded, for at most a minute from the first attempt on. Blocks.
     *
     * @param <T> its result
     * @param request what to send; all other failures than overload are final
     * @return the answer
     * @throws ClientException if it failed, or the waiting was interrupted
     */
    public static <T> T whileOverloaded(Request<T> request) throws ClientException {
        return whileOverloaded(request, PATIENCE);
    }

    /** Sends a request as {@link #whileOverloaded(Request)} does, for another time. */
    static <T> T whileOverloaded(Request<T> request, Duration patience) throws ClientException {
        long begun = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return request.send();
            } catch (ClientException e) {
                if (!e.isOverload() || System.nanoTime() - begun >= patience.toNanos()) {
                    throw e;
                }
                sleep(pause(attempt, e.retryAfter()));
            }
        }
    }

    private static void sleep(Duration pause) throws ClientException {
        try {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClientException("interrupted");
        }
    }

    /**
     * Returns how long to wait.
     *
     * @param attempt which attempt has failed, from 1 on
     * @param atLeast the pause that the node requests
     * @return the pause, longer by a random part of up to a half
     */
    public static Duration pause(int attempt, Duration atLeast) {
        long least = Math.max(
                atLeast.toMillis(),
                Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(attempt, MOST_DOUBLINGS)));
        return Duration.ofMillis(least + ThreadLocalRandom.current().nextLong(1 + least / 2));
    }

    /**
     * Calls a cluster, up to {@value #ATTEMPTS} times. Does not block.
     *
     * @param <T> the result of the call
     * @param call the call; all other failures than those of the request itself may pass
     * @return the outcome of the last attempt
     */
    public static <T> CompletionStage<T> call(Supplier<CompletionStage<T>> call) {
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
                    long millis = pause(number, Duration.ZERO).toMillis();
                    return CompletableFuture.supplyAsync(
                                    () -> attempt(call, number + 1),
                                    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS))
                            .thenCompose(stage -> stage);
                })
                .thenCompose(stage -> stage);
    }

    private static boolean mayBeMadeAgain(Throwable error) {
        return DhtException.unwrap(error) instanceof DhtException failure
                && failure.code().action() != ErrorCode.Action.FIX_REQUEST;
    }
}
