package io.dht4j.lab.internal.load;

import io.dht4j.DhtException;

/** The failure of an operation, with a name that it is counted under. It has no stack trace, since it is an answer. */
public final class LoadException extends Exception {

    private static final long serialVersionUID = 1;

    private final String name;

    /**
     * Creates a failure.
     *
     * @param name of its kind, short
     * @param message one line for people
     */
    public LoadException(String name, String message) {
        super(message, null, false, false);
        this.name = name;
    }

    /**
     * Returns the name of its kind.
     *
     * @return for example {@code HTTP 503}
     */
    public String name() {
        return name;
    }

    /**
     * Returns the name that a failure is counted under.
     *
     * @param error of an operation, with or without the wrappers of futures
     * @return the name of this type, the code of a cluster's exception, the class of any other
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
