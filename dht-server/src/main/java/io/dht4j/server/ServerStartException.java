package io.dht4j.server;

/** A server that cannot start. The message is one line that says what is in the way. */
public final class ServerStartException extends Exception {

    private static final long serialVersionUID = 1;

    ServerStartException(String message) {
        super(message);
    }

    ServerStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
