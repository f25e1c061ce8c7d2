package io.dht4j.server.cli.console;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Thrown when a write to standard output has failed. {@link Console#execute} turns it into the exit code of the
 * command.
 */
public final class OutputFailedException extends UncheckedIOException {

    private static final long serialVersionUID = 1;

    OutputFailedException(IOException cause) {
        super("standard output cannot be written: " + Messages.of(cause), cause);
    }
}
