package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.Value;
import io.dht4j.spi.Entry;
import java.util.OptionalLong;

/** From what a store keeps to what a caller sees. */
public final class Values {

    private Values() {}

    public static Value of(Entry entry) {
        OptionalLong expiry = entry.expiresAtMillis() == Entry.NEVER
                ? OptionalLong.empty()
                : OptionalLong.of(entry.expiresAtMillis());
        return new Value(entry.value(), entry.version(), expiry);
    }
}
