package io.dht4j.benchmarks.load;

import io.dht4j.DhtException;

/** Why an operation failed, with a name by which to count it. Without a stack trace: it is an answer. */
public final class LoadException extends Exception {

    private static final long serialVersionUID = 1;

    private final String name;

    /**
     * A failure.
     *
     * @param name by which it is counted: short, the same for all of its kind
     * @param message one line for people
     */
    public LoadException(String name, String message) {
        super(message, null, false, false);
        this.name = name;
    }

    /**
     * By which it is counted.
     *
     * @return for example {@code HTTP 503}
     */
    public String name() {
        return name;
    }

    /**
     * The name by which any failure is counted.
     *
     * @param error of an operation, with or without the wrappers of futures
     * @return that of this type, the code of a cluster's, the class of any other
     */
    public static String nameOf(Throwable error) {
        Throwable inner = DhtException.unwrap(error);
        if (inner instanceof LoadException named) {
            return named.name();
        }
        return inner instanceof DhtException failed
                ? failed.code().name()
                : inner.getClass().getSimpleName();
    }
}
