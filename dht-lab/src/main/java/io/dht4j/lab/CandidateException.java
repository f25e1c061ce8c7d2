package io.dht4j.lab;

import io.dht4j.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * A candidate that cannot be loaded, or that did what its contract forbids. The message is one line for people, which
 * names the class and what happened: control characters are {@linkplain PrintableText escaped}.
 */
public final class CandidateException extends RuntimeException {

    private static final long serialVersionUID = 1;

    CandidateException(String message) {
        this(message, null);
    }

    /** Keeps what the candidate threw, whose stack trace is of use to its author. */
    CandidateException(String message, @Nullable Throwable cause) {
        super(PrintableText.of(message), cause);
    }
}
