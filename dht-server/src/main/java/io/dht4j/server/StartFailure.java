package io.dht4j.server;

/** A node cannot start on its data or in its cluster; the message says what to do. */
final class StartFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
