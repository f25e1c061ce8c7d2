package io.dht4j.server;

import java.util.function.UnaryOperator;

/** A server that cannot start. The message is one line with the reason. */
public final class ServerStartException extends Exception {

    private static final long serialVersionUID = 1;

    ServerStartException(String message) {
        super(message);
    }

    ServerStartException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns this failure in other words.
     *
     * @param words turns the message into another one
     * @return a new failure, caused by this one
     */
    public ServerStartException inWords(UnaryOperator<String> words) {
        return new ServerStartException(words.apply(String.valueOf(getMessage())), this);
    }
}
