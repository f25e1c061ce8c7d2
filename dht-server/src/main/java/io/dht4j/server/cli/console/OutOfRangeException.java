package io.dht4j.server.cli.console;

import picocli.CommandLine.TypeConversionException;

/** Thrown when a number of an option is out of its range. */
public final class OutOfRangeException extends TypeConversionException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message the text after the option's name: the range and the text
     */
    public OutOfRangeException(String message) {
        super(message);
    }
}
