package io.dht4j.server.client;

import io.dht4j.PrintableText;
import java.time.Duration;

/**
 * Thrown when a request has failed, or a file cannot be used. The message is one line for the user,
 * {@linkplain PrintableText escaped}.
 */
public final class ClientException extends Exception {

    private static final long serialVersionUID = 1;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final boolean worthRepeating;
    private final boolean overload;
    private final Duration retryAfter;

    /**
     * Creates a permanent failure.
     *
     * @param message one line
     */
    public ClientException(String message) {
        this(message, false);
    }

    ClientException(String message, boolean worthRepeating) {
        this(message, worthRepeating, false, Duration.ZERO);
    }

    /** Creates the failure of a node's answer; a very long pause is shortened. */
    ClientException(String message, boolean worthRepeating, boolean overload, Duration retryAfter) {
        super(PrintableText.of(message));
        this.worthRepeating = worthRepeating;
        this.overload = overload;
        this.retryAfter = retryAfter.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : retryAfter;
    }

    /**
     * Returns a failure that may pass.
     *
     * @param message one line
     * @return the failure
     */
    public static ClientException worthRepeating(String message) {
        return new ClientException(message, true);
    }

    /**
     * Returns whether the same request may succeed a little later: the node was busy, unreachable, or too few replicas
     * answered.
     *
     * @return true if so
     */
    public boolean isWorthRepeating() {
        return worthRepeating;
    }

    /**
     * Returns whether the node refused the request as overloaded: it had no effect, and the next request should follow
     * after a pause.
     *
     * @return true if so
     */
    public boolean isOverload() {
        return overload;
    }

    /**
     * Returns the pause that the node requests.
     *
     * @return zero if it did not request one; at most 10 seconds
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
