package io.dht4j.server.cli.atomic;

import io.dht4j.InvalidRequestException;
import io.dht4j.RequestId;
import io.dht4j.server.cli.console.OutOfRangeException;
import picocli.CommandLine.ITypeConverter;

/** Reads the id of an operation. */
final class OperationId implements ITypeConverter<RequestId> {

    /** The text of the option. */
    static final String DESCRIPTION =
            "The id of the operation, a UUID of version 7. The same command with the same id is executed once: use it "
                    + "to repeat a command whose outcome is unknown, soon. Default: a new one.";

    private static final long EXAMPLE_MILLIS = 1_800_000_000_000L;

    @Override
    public RequestId convert(String text) {
        try {
            return RequestId.parse(text);
        } catch (InvalidRequestException e) {
            throw new OutOfRangeException("must be a UUID of version 7, such as " + RequestId.of(EXAMPLE_MILLIS, 0, 0)
                    + ", not \"" + text + "\"");
        }
    }
}
