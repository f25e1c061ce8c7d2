package io.dht4j.examples.client;

/** A request that failed, or a file that cannot be used. The message is one line for the user. */
public final class ClientException extends Exception {

    private static final long serialVersionUID = 1;

    private final boolean worthRepeating;

    /**
     * A failure that stays.
     *
     * @param message one line
     */
    public ClientException(String message) {
        this(message, false);
    }

    ClientException(String message, boolean worthRepeating) {
        super(message);
        this.worthRepeating = worthRepeating;
    }

    /**
     * A failure that may pass.
     *
     * @param message one line
     * @return the failure
     */
    public static ClientException worthRepeating(String message) {
        return new ClientException(message, true);
    }

    /**
     * Whether the same request may succeed a little later: the node was busy, not there, or too few replicas answered.
     *
     * @return true if so
     */
    public boolean isWorthRepeating() {
        return worthRepeating;
    }
}
