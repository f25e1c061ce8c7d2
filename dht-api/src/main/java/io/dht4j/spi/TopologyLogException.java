package io.dht4j.spi;

import io.dht4j.PrintableText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call of a {@link TopologyLog} fails. The message is one line: control characters are
 * {@linkplain PrintableText escaped}.
 */
public final class TopologyLogException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** What is known about the call, and with it what the caller may do. */
    public enum Outcome {
        /**
         * This member does not lead, and has done nothing. The same call may succeed at the {@linkplain #leader()
         * leader}.
         */
        NOT_LEADER,
        /**
         * This member has done nothing: it is closed, has failed or is overloaded, or the deadline passed first. The
         * same call may be repeated.
         */
        NOT_SENT,
        /**
         * The command may be applied, now or later, or never; a change of members may have been made in part. Only the
         * agreed state shows it.
         */
        UNKNOWN
    }

    private final Outcome outcome;
    private final transient @Nullable NodeRef leader;

    /**
     * Creates a failure of which no leader is known; it has no stack trace.
     *
     * @param outcome what is known
     * @param message one line for people
     */
    public TopologyLogException(Outcome outcome, String message) {
        this(outcome, message, null);
    }

    /**
     * Creates a failure; it has no stack trace.
     *
     * @param outcome what is known
     * @param message one line for people
     * @param leader the member that leads, as far as is known
     */
    public TopologyLogException(Outcome outcome, String message, @Nullable NodeRef leader) {
        super(PrintableText.of(message), null, false, false);
        this.outcome = outcome;
        this.leader = leader;
    }

    /**
     * Returns what is known about the call.
     *
     * @return the outcome
     */
    public Outcome outcome() {
        return outcome;
    }

    /**
     * Returns the member to ask instead.
     *
     * @return the leader as this member knows it, perhaps no longer true; empty if it knows none
     */
    public Optional<NodeRef> leader() {
        return Optional.ofNullable(leader);
    }
}
