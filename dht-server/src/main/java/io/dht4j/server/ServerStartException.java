package io.dht4j.server;

/** A server that cannot start. The message is one line with the reason. */
public final class ServerStartException extends Exception {

    private static final long serialVersionUID = 1;

    ServerStartException(String message) {
        super(message);
    }

    ServerStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
