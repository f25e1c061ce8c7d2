package io.dht4j.benchmarks.process;

import java.io.IOException;

/** A command to a child failed. The message names the child, the command and the reason. */
public class ChildException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the failure of a command.
     *
     * @param message names the child, the command and the reason
     */
    public ChildException(String message) {
        super(message);
    }

    /**
     * Creates the failure of a command.
     *
     * @param message names the child, the command and the reason
     * @param cause of the failure
     */
    public ChildException(String message, Throwable cause) {
        super(message, cause);
    }
}
