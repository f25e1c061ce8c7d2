package io.dht4j.server.client;

import io.dht4j.PrintableText;
import io.dht4j.RequestId;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
    private final boolean outcomeUnknown;
    private final @Nullable RequestId requestId;

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
        this.outcomeUnknown = false;
        this.requestId = null;
    }

    private ClientException(ClientException failure, @Nullable RequestId requestId) {
        super(failure.getMessage());
        this.worthRepeating = failure.worthRepeating;
        this.overload = false;
        this.retryAfter = failure.retryAfter;
        this.outcomeUnknown = true;
        this.requestId = requestId;
    }

    /** Returns the same failure, with what follows from it. */
    ClientException with(String consequence) {
        return new ClientException(getMessage() + "; " + consequence, worthRepeating, overload, retryAfter);
    }

    /** Returns the same failure of an operation on an atomic key that may have been executed. */
    ClientException withUnknownOutcome(Optional<RequestId> id) {
        return new ClientException(this, id.orElse(null));
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

    /**
     * Returns whether an operation on an atomic key may have been executed.
     *
     * @return true if so
     */
    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }

    /**
     * Returns the id with which an operation on an atomic key can be repeated, so that it is executed once.
     *
     * @return the id; empty if the outcome is known, and if the id is not
     */
    public Optional<RequestId> requestId() {
        return Optional.ofNullable(requestId);
    }
}
