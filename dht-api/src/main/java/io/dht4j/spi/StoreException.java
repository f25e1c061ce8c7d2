package io.dht4j.spi;

/**
 * A store that cannot read or write. The message names the file and the way out. It says nothing about whether entries
 * that were being applied have been kept.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * A failure that the store found itself.
     *
     * @param message what, where, and the way out
     */
    public StoreException(String message) {
        super(message);
    }

    /**
     * A failure with a cause.
     *
     * @param message what, where, and the way out
     * @param cause what was thrown
     */
    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
