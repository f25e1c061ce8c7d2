package io.dht4j.core.internal.admission;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stage that a caller gets for a piece of work. It completes after the cleanup of the work. */
public final class CallerStage {

    private static final Logger LOG = LoggerFactory.getLogger(CallerStage.class);

    private static final String OWN_THREAD =
            "it runs an action, an observer or a listener, and closing waits for it; close"
                    + " on a thread of the application, for example with thenRunAsync in place of thenRun";

    /** The packages that complete stages and run their actions. */
    private static final String CORE = "io.dht4j.core.";

    /** The packages that run on a thread of this library below the core. */
    private static final List<String> LIBRARIES =
            List.of("io.dht4j.", "java.", "jdk.", "sun.", "io.netty.", "io.vertx.", "io.grpc.", "one.nio.");

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
                given.completeExceptionally(failure);
            }
        });
    }

    /**
     * Refuses to close on a thread of this library that runs an action of a stage, an observer or a listener. Closing
     * waits for such threads, and would wait for its own caller. A thread of the application may close, also in a
     * callback.
     *
     * @param closing the closed object, as the subject of a sentence
     * @throws IllegalStateException if this thread is the library's
     */
    public static void refuseClose(String closing) {
        if (StackWalker.getInstance().walk(CallerStage::isCalledBack)) {
            // The stage that fails with this exception is often dropped.
            LOG.warn("{} was not closed, since close() was called on this thread: {}", closing, OWN_THREAD);
            throw new IllegalStateException(closing + " cannot be closed on this thread: " + OWN_THREAD);
        }
    }

    /** Returns whether the core calls back, on a thread where no code of the application has called the core. */
    private static boolean isCalledBack(Stream<StackWalker.StackFrame> frames) {
        boolean isCalledBack = false;
        Iterator<StackWalker.StackFrame> callers =
                frames.dropWhile(CallerStage::isCore).iterator();
        while (callers.hasNext()) {
            StackWalker.StackFrame caller = callers.next();
            if (isCore(caller)) {
                // An owner that closes its own resources, such as a store with a client, was checked itself.
                isCalledBack = !caller.getMethodName().equals("close");
            } else if (LIBRARIES.stream().noneMatch(caller.getClassName()::startsWith)) {
                isCalledBack = false;
            }
        }
        return isCalledBack;
    }

    private static boolean isCore(StackWalker.StackFrame frame) {
        return frame.getClassName().startsWith(CORE);
    }
}
