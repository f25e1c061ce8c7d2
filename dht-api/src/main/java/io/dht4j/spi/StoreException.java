package io.dht4j.spi;

import io.dht4j.PrintableText;

/**
 * Thrown when a store cannot read or write. The message names the file and the remedy. The exception does not indicate
 * whether entries being applied have been stored. The message is one line: control characters are
 * {@linkplain PrintableText escaped}.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the exception of a failure that the store itself detected.
     *
     * @param message the reason, the file and the remedy
     */
    public StoreException(String message) {
        super(PrintableText.of(message));
    }

    /**
     * Creates the exception of a failure with a cause.
     *
     * @param message the reason, the file and the remedy
     * @param cause the underlying exception
     */
    public StoreException(String message, Throwable cause) {
        super(PrintableText.of(message), cause);
    }
}
