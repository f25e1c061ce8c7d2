package io.dht4j.lab;

import io.dht4j.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a candidate that cannot be loaded, or that violates its contract. The message is one line for people, with
 * the class and the violation: control characters are {@linkplain PrintableText escaped}.
 */
public final class CandidateException extends RuntimeException {

    private static final long serialVersionUID = 1;

    CandidateException(String message) {
        this(message, null);
    }

    /** Keeps the exception of the candidate: its stack trace helps the author. */
    CandidateException(String message, @Nullable Throwable cause) {
        super(PrintableText.of(message), cause);
    }
}
