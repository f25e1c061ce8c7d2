package io.dht4j.spi;

import io.dht4j.PrintableText;

/**
 * Thrown when a call brings no reply, or when a transport cannot start. The message is one line: control characters are
 * {@linkplain PrintableText escaped}.
 */
public final class TransportException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** What is known about a call that failed. */
    public enum Outcome {
        /** No byte of the request can have reached the node's handler: it is safe to send it anywhere. */
        NOT_SENT,
        /** The node may have carried the request out. Repeating it is safe only because requests are idempotent. */
        UNKNOWN
    }

    /** Why a call was not sent, as far as it tells something about the node, or why a start failed. */
    public enum Reason {
        /** The machine answers, and nothing listens at the address: no process of the node is there. */
        REFUSED,
        /**
         * Something is full, here or at the node: too many calls or bytes are under way, or memory is short. The same
         * call may find room soon. The node's process is there, as far as is known.
         */
        NO_ROOM,
        /**
         * The connection stands, and until the deadline the other side has said nothing that shows a node of this
         * transport.
         */
        SILENT,
        /** Of a start alone: the transport was started before, and is open. Another node may use it. */
        STARTED,
        /** Anything else. */
        OTHER
    }

    private final Outcome outcome;
    private final Reason reason;

    /**
     * A failure that the transport found itself; it has no stack trace.
     *
     * @param outcome what is known about the call
     * @param message names the node or the address, and what went wrong
     */
    public TransportException(Outcome outcome, String message) {
        super(PrintableText.of(message), null, false, false);
        this.outcome = outcome;
        this.reason = Reason.OTHER;
    }

    /**
     * A call that was not sent, for a reason that tells something about the node, or a repeated start; it has no stack
     * trace.
     *
     * @param reason why
     * @param message names the node or the address, and what went wrong
     */
    public TransportException(Reason reason, String message) {
        super(PrintableText.of(message), null, false, false);
        this.outcome = Outcome.NOT_SENT;
        this.reason = reason;
    }

    /**
     * A failure with a cause.
     *
     * @param outcome what is known about the call
     * @param message names the node or the address, and what went wrong
     * @param cause what was thrown
     */
    public TransportException(Outcome outcome, String message, Throwable cause) {
        super(PrintableText.of(message), cause, false, false);
        this.outcome = outcome;
        this.reason = Reason.OTHER;
    }

    private TransportException(TransportException same) {
        super(same.getMessage(), same.getCause(), true, true);
        this.outcome = same.outcome;
        this.reason = same.reason;
    }

    /**
     * Returns the same failure with the stack trace of the caller, to be thrown.
     *
     * @return a new exception with the same message, outcome, reason and cause
     */
    public TransportException traced() {
        return new TransportException(this);
    }

    /**
     * Why it was not sent.
     *
     * @return refused only if nothing listens at the address, no room only if something was full, silent only if the
     *     other side has said nothing, started only of a repeated start; other for what was sent, perhaps
     */
    public Reason reason() {
        return reason;
    }

    /**
     * What is known about the call.
     *
     * @return not sent or unknown
     */
    public Outcome outcome() {
        return outcome;
    }
}
