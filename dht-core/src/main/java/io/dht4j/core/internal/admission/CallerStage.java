package io.dht4j.core.internal.admission;

import io.dht4j.DhtException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The stage that a caller gets for a piece of work. It completes after the cleanup of the work. */
public final class CallerStage {

    private CallerStage() {}

    /**
     * Returns a stage behind a piece of work and an action. Unlike with {@code whenComplete}, the action runs also if
     * the caller has completed or cancelled its stage.
     *
     * @param work the work. Its {@code newIncompleteFuture} makes the stage, and thus decides what happens to the work
     *     if the caller cancels it
     * @param action runs once, when the work has ended; receives its result or its failure
     * @param <T> the result
     * @return ends as the work does, after the action; if the action throws, fails with that
     */
    public static <T> CompletableFuture<T> behind(
            CompletableFuture<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> action) {
        return behind(work, action, Runnable::run);
    }

    /**
     * Returns a stage as the method above does.
     *
     * @param work the work
     * @param action runs once, when the work has ended
     * @param ending runs the given action at once, and once: it completes the stage, and with it the stage's dependents
     * @param <T> the result
     * @return ends as the work does, after the action
     */
    static <T> CompletableFuture<T> behind(
            CompletableFuture<T> work,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> action,
            Consumer<Runnable> ending) {
        CompletableFuture<T> given = work.newIncompleteFuture();
        work.whenComplete((result, error) -> {
            Throwable failure = error;
            try {
                action.accept(result, error);
            } catch (RuntimeException | Error e) {
                failure = e;
            }
            end(given, result, failure, ending);
        });
        return given;
    }

    private static <T> void end(
            CompletableFuture<T> given, @Nullable T result, @Nullable Throwable failure, Consumer<Runnable> ending) {
        ending.accept(() -> {
            if (failure == null) {
                given.complete(result);
            } else {
                // Without the wrapper of an earlier stage: so join() makes one, with the caller in its trace.
                given.completeExceptionally(DhtException.unwrap(failure));
            }
        });
    }
}
