package io.dht4j.server.cli.options;

import io.dht4j.server.cli.console.OutOfRangeException;
import io.dht4j.server.config.TransportChoice.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;

/** Reads the name of a protocol between nodes, as the server's option does. Other texts are refused with the names. */
public final class TransportName implements ITypeConverter<Protocol> {

    /** Creates a converter; for picocli. */
    public TransportName() {}

    @Override
    public Protocol convert(String text) {
        List<String> names = new ArrayList<>();
        for (Protocol protocol : Protocol.values()) {
            String name = protocol.name().toLowerCase(Locale.ROOT);
            if (name.equals(text)) {
                return protocol;
            }
            names.add(name);
        }
        throw new OutOfRangeException("must be " + String.join(" or ", names) + ", not \"" + text + "\"");
    }
}
