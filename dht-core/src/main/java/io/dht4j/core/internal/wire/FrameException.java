package io.dht4j.core.internal.wire;

import io.dht4j.ErrorCode;
import io.dht4j.PrintableText;

/**
 * Thrown for bytes that are not a frame. The sender gets an answer, and there is no error in the code, so it has no
 * stack trace.
 */
public final class FrameException extends Exception {

    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    public FrameException(ErrorCode code, String message) {
        super(PrintableText.of(message), null, false, false);
        this.code = code;
    }

    /**
     * Returns the kind of the problem.
     *
     * @return malformed, unsupported or too large
     */
    public ErrorCode code() {
        return code;
    }
}
