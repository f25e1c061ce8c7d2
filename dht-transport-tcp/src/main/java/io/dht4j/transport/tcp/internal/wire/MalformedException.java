package io.dht4j.transport.tcp.internal.wire;

import java.io.IOException;

/** Thrown for bytes from the other side that violate the protocol. The message describes the violation in one line. */
public final class MalformedException extends IOException {

    private static final long serialVersionUID = 1;

    public MalformedException(String message) {
        super(message);
    }

    /** Returns this exception without a stack trace: a peer may cause any number of them. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
