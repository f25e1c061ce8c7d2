package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.Value;
import io.dht4j.spi.Entry;
import java.util.OptionalLong;

/** Converts the entries of stores to the values that callers get. */
public final class Values {

    private Values() {}

    /**
     * Converts an entry.
     *
     * @param entry a live entry
     * @return its value, which shares the array
     */
    public static Value of(Entry entry) {
        OptionalLong expiry = entry.expiresAtMillis() == Entry.NEVER
                ? OptionalLong.empty()
                : OptionalLong.of(entry.expiresAtMillis());
        return new Value(entry.value(), entry.version(), expiry);
    }
}
