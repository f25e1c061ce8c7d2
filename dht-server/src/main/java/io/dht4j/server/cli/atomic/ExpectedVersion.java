package io.dht4j.server.cli.atomic;

import io.dht4j.Version;
import io.dht4j.server.cli.console.OutOfRangeException;
import picocli.CommandLine.ITypeConverter;

/** Reads the version that a key must have. */
final class ExpectedVersion implements ITypeConverter<Version> {

    /** The text of the option. */
    static final String DESCRIPTION =
            "Only if the key has this version: as get and put print it with --show-version, and a failed condition "
                    + "reports it.";

    @Override
    public Version convert(String text) {
        try {
            long packed = Long.parseUnsignedLong(text);
            if (packed != 0) {
                return new Version(packed);
            }
        } catch (NumberFormatException e) {
            // Not a number at all, or too large: the same message.
        }
        throw new OutOfRangeException(
                "must be a whole number from 1 to " + Long.toUnsignedString(-1) + ", not \"" + text + "\"");
    }
}
