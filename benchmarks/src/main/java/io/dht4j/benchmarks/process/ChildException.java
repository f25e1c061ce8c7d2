package io.dht4j.benchmarks.process;

import java.io.IOException;

/** A child did not do what it was asked to: the message names the child, the command and the reason. */
public class ChildException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * A child that could not do something.
     *
     * @param message which child, what, and why
     */
    public ChildException(String message) {
        super(message);
    }

    /**
     * A child that could not do something.
     *
     * @param message which child, what, and why
     * @param cause what led to it
     */
    public ChildException(String message, Throwable cause) {
        super(message, cause);
    }
}
