package io.dht4j.server;

import io.dht4j.server.log.ShellWords;
import java.util.function.UnaryOperator;

/** Thrown when a server cannot start. The message is one line with the reason, in which remedies are commands. */
public final class ServerStartException extends Exception {

    private static final long serialVersionUID = 1;

    ServerStartException(String message) {
        super(ShellWords.of(message));
    }

    ServerStartException(String message, Throwable cause) {
        super(ShellWords.of(message), cause);
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
