package io.dht4j.server.client;

import io.dht4j.PrintableText;
import java.time.Duration;

/**
 * A request that failed, or a file that cannot be used. The message is one line for the user, {@linkplain PrintableText
 * escaped}.
 */
public final class ClientException extends Exception {

    private static final long serialVersionUID = 1;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final boolean worthRepeating;
    private final boolean overload;
    private final Duration retryAfter;

    /**
     * A failure that stays.
     *
     * @param message one line
     */
    public ClientException(String message) {
        this(message, false);
    }

    ClientException(String message, boolean worthRepeating) {
        this(message, worthRepeating, false, Duration.ZERO);
    }

    /** What a node has answered; a pause that nobody would sit out is cut. */
    ClientException(String message, boolean worthRepeating, boolean overload, Duration retryAfter) {
        super(PrintableText.of(message));
        this.worthRepeating = worthRepeating;
        this.overload = overload;
        this.retryAfter = retryAfter.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : retryAfter;
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

    /**
     * Whether the node had no room for the request: nothing was done, and the next one is to come after a pause.
     *
     * @return true if so
     */
    public boolean isOverload() {
        return overload;
    }

    /**
     * How long the node wants to be left alone.
     *
     * @return zero if it did not say; at most 10 seconds
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
