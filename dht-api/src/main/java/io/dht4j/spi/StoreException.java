package io.dht4j.spi;

import io.dht4j.PrintableText;

/**
 * A store that cannot read or write. The message names the file and the way out. It says nothing about whether entries
 * that were being applied have been kept. It is one line: control characters are {@linkplain PrintableText escaped}.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * A failure that the store found itself.
     *
     * @param message what, where, and the way out
     */
    public StoreException(String message) {
        super(PrintableText.of(message));
    }

    /**
     * A failure with a cause.
     *
     * @param message what, where, and the way out
     * @param cause what was thrown
     */
    public StoreException(String message, Throwable cause) {
        super(PrintableText.of(message), cause);
    }
}
