package io.dht4j.benchmarks.process;

/** A live child answered a command with an error. */
public final class ChildRefusedException extends ChildException {

    private static final long serialVersionUID = 1;

    ChildRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
