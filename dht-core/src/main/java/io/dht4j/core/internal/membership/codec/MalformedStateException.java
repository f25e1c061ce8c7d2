package io.dht4j.core.internal.membership.codec;

import io.dht4j.PrintableText;

/**
 * Thrown for bytes that are neither a state nor a command. It has no stack trace: the bytes are at fault, not the code.
 */
public final class MalformedStateException extends Exception {

    private static final long serialVersionUID = 1;

    MalformedStateException(String message) {
        super(PrintableText.of("malformed cluster state or command: " + message), null, false, false);
    }
}
