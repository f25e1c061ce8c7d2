package io.dht4j;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * Thrown when a call fails. The subtype says what the caller may do, {@link #code()} says what went wrong. The message
 * is one line; text from keys and remote nodes in it is {@linkplain PrintableText escaped}.
 *
 * <p>The failure of a stage has no stack trace: it would show threads of the node, and cost more than many a call. An
 * {@link ExecutionException} of {@link java.util.concurrent.Future#get()} shows who waited; {@link #traced()} is a
 * failure to throw. The failure that a method throws, such as {@link Key#of(String)}, has a stack trace.
 */
public abstract sealed class DhtException extends RuntimeException
        permits InvalidRequestException, UnavailableException, IndeterminateException, OverloadedException {

    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    /**
     * Creates a failure.
     *
     * @param code what went wrong
     * @param message one line for people
     * @param traced whether it has a stack trace and keeps suppressed exceptions
     */
    DhtException(ErrorCode code, ErrorCode.Action action, String message, boolean traced) {
        super(PrintableText.of(message), null, traced, traced);
        if (code.action() != action) {
            throw new IllegalArgumentException(code + " is not an error of the kind " + action);
        }
        this.code = code;
    }

    /**
     * Returns the code of the failure.
     *
     * @return the stable code
     */
    public final ErrorCode code() {
        return code;
    }

    /**
     * Returns the exception for a code that was read from a wire.
     *
     * @param code what went wrong
     * @param message one line for people
     * @return an exception of the subtype that matches the code's action
     */
    public static DhtException of(ErrorCode code, String message) {
        return of(code, message, false);
    }

    private static DhtException of(ErrorCode code, String message, boolean traced) {
        return switch (code.action()) {
            case FIX_REQUEST -> new InvalidRequestException(code, message, traced);
            case RETRY_ANYWHERE -> new UnavailableException(code, message, traced);
            case REPEAT_ONLY_THIS -> new IndeterminateException(code, message, traced, null);
            case BACK_OFF -> new OverloadedException(message, traced);
        };
    }

    /**
     * Returns the same failure with the stack trace of the caller, to be thrown.
     *
     * @return a new exception of the same type, code and message
     */
    public final DhtException traced() {
        return with(String.valueOf(getMessage()), true);
    }

    /**
     * Returns the same failure in other words, without a stack trace.
     *
     * @param message one line for people
     * @return a new exception of the same type and code
     */
    public final DhtException withMessage(String message) {
        return with(message, false);
    }

    private DhtException with(String message, boolean traced) {
        return this instanceof IndeterminateException unknown
                ? new IndeterminateException(
                        code, message, traced, unknown.requestId().orElse(null))
                : of(code, message, traced);
    }

    /**
     * Removes the wrappers that futures add to an exception.
     *
     * @param error any failure
     * @return the innermost cause that is neither a {@link CompletionException} nor an {@link ExecutionException}, nor
     *     the {@link CancellationException} in which newer JDKs wrap another one
     */
    public static Throwable unwrap(Throwable error) {
        Throwable inner = error;
        while (inner.getCause() != null && isWrapper(inner)) {
            inner = inner.getCause();
        }
        return inner;
    }

    private static boolean isWrapper(Throwable error) {
        return error instanceof CompletionException
                || error instanceof ExecutionException
                || (error instanceof CancellationException && error.getCause() instanceof CancellationException);
    }

    /**
     * Returns a stage that ends as another one does, and fails without the wrapper of an earlier stage. So
     * {@link CompletableFuture#join()} makes the wrapper, with its caller in the stack trace. Does not block.
     *
     * @param stage the other stage, which is unaffected if the caller completes or cancels this one
     * @param <T> the result
     * @return a new stage
     */
    public static <T> CompletableFuture<T> unwrap(CompletionStage<T> stage) {
        CompletableFuture<T> unwrapped = new CompletableFuture<>();
        stage.whenComplete((result, error) -> {
            if (error == null) {
                unwrapped.complete(result);
            } else {
                unwrapped.completeExceptionally(unwrap(error));
            }
        });
        return unwrapped;
    }
}
