package io.dht4j.server;

/** Thrown when a node cannot start on its data or in its cluster; the message names the remedy. */
final class StartFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
