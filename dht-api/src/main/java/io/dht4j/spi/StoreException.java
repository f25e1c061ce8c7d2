package io.dht4j.spi;

import io.dht4j.NodeId;
import io.dht4j.PrintableText;

/**
 * Thrown when a store cannot read or write. The message names the file and the remedy. The exception does not indicate
 * whether entries being applied have been stored. The message is one line: control characters are
 * {@linkplain PrintableText escaped}.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean isInUse;

    /**
     * Creates the exception of a failure that the store itself detected.
     *
     * @param message the reason, the file and the remedy
     */
    public StoreException(String message) {
        super(PrintableText.of(message));
        this.isInUse = false;
    }

    /**
     * Creates the exception of a failure with a cause.
     *
     * @param message the reason, the file and the remedy
     * @param cause the underlying exception
     */
    public StoreException(String message, Throwable cause) {
        super(PrintableText.of(message), cause);
        this.isInUse = false;
    }

    private StoreException(String store, NodeId node) {
        super(PrintableText.of(
                "the store " + store + " is in use by node " + node + " already: create a store for each node"));
        this.isInUse = true;
    }

    /**
     * Returns the exception of an open store that a second node would use.
     *
     * @param store the name of the store, or its directory
     * @param node the node that uses it
     * @return an exception to be thrown by {@link Store#claim}
     */
    public static StoreException inUse(String store, NodeId node) {
        return new StoreException(store, node);
    }

    /**
     * Returns whether another node uses the store, so that the node that has failed to begin must not close it.
     *
     * @return true for an exception of {@link #inUse}
     */
    public boolean isInUse() {
        return isInUse;
    }
}
