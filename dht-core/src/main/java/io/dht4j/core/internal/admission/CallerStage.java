package io.dht4j.core.internal.admission;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The stage that the caller of a piece of work gets, which ends after what must be done at the end of the work. */
public final class CallerStage {

    /** The packages whose code completes stages, and runs their actions. */
    private static final String CORE = "io.dht4j.core.";

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

    /**
     * Refuses to close where an action of a stage, an observer or a listener runs. Closing waits for the threads that
     * run them, and would wait for its own caller.
     *
     * @param closing what is to be closed, as a subject
     * @throws IllegalStateException if this library called, on this thread, what closes now
     */
    public static void refuseClose(String closing) {
        boolean isInAction = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.dropWhile(CallerStage::isCore).anyMatch(CallerStage::isCore));
        if (isInAction) {
            throw new IllegalStateException(closing
                    + " cannot be closed in an action of a stage, which closing would wait for: close it on a thread of"
                    + " the application, for example with thenRunAsync in place of thenRun");
        }
    }

    private static boolean isCore(StackWalker.StackFrame frame) {
        // A test may have the package, and is no code of the library.
        return frame.getClassName().startsWith(CORE)
                && Objects.equals(
                        frame.getDeclaringClass().getProtectionDomain().getCodeSource(),
                        CallerStage.class.getProtectionDomain().getCodeSource());
    }
}
