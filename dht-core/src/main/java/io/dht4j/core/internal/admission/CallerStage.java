package io.dht4j.core.internal.admission;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The stage that the caller of a piece of work gets, which ends after what must be done at the end of the work. */
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
        CompletableFuture<T> given = work.newIncompleteFuture();
        work.handle((result, error) -> {
            try {
                action.accept(result, error);
            } catch (RuntimeException | Error e) {
                return given.completeExceptionally(e);
            }
            return error == null ? given.complete(result) : given.completeExceptionally(error);
        });
        return given;
    }
}
