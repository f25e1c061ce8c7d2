package io.dht4j;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * A failed call. The subtype tells what the caller may do, the {@link #code()} what went wrong. The message is one
 * line: what a key or a remote node puts into it is {@linkplain PrintableText escaped}.
 */
public abstract sealed class DhtException extends RuntimeException
        permits InvalidRequestException, UnavailableException, IndeterminateException, OverloadedException {

    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    /**
     * A failure without a stack trace: it is an answer, and what led to it is in its cause.
     *
     * @param code what went wrong
     * @param message one line for people
     */
    DhtException(ErrorCode code, ErrorCode.Action action, String message) {
        super(PrintableText.of(message), null, false, false);
        if (code.action() != action) {
            throw new IllegalArgumentException(code + " is not an error of the kind " + action);
        }
        this.code = code;
    }

    /**
     * What went wrong.
     *
     * @return the stable code
     */
    public final ErrorCode code() {
        return code;
    }

    /**
     * The exception for a code, as read from a wire.
     *
     * @param code what went wrong
     * @param message one line for people
     * @return an exception of the type that the code's action asks for
     */
    public static DhtException of(ErrorCode code, String message) {
        return switch (code.action()) {
            case FIX_REQUEST -> new InvalidRequestException(code, message);
            case RETRY_ANYWHERE -> new UnavailableException(code, message);
            case REPEAT_ONLY_THIS -> new IndeterminateException(code, message);
            case BACK_OFF -> new OverloadedException(message);
        };
    }

    /**
     * Takes the wrappers off that futures put around an exception.
     *
     * @param error any failure
     * @return the innermost cause that is neither a {@link CompletionException} nor an {@link ExecutionException}
     */
    public static Throwable unwrap(Throwable error) {
        Throwable inner = error;
        while (inner.getCause() != null
                && (inner instanceof CompletionException || inner instanceof ExecutionException)) {
            inner = inner.getCause();
        }
        return inner;
    }
}
