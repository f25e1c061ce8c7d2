package io.dht4j.core.internal.wire;

import io.dht4j.ErrorCode;
import io.dht4j.PrintableText;

/** Bytes that are not a frame. An answer, not a fault: it has no stack trace. */
public final class FrameException extends Exception {

    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    FrameException(ErrorCode code, String message) {
        super(PrintableText.of(message), null, false, false);
        this.code = code;
    }

    /**
     * What is wrong.
     *
     * @return malformed, unsupported or too large
     */
    public ErrorCode code() {
        return code;
    }
}
