package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.Value;
import io.dht4j.spi.Entry;
import java.time.Instant;
import java.util.Optional;

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
        Optional<Instant> expiry = entry.expiresAtMillis() == Entry.NEVER
                ? Optional.empty()
                : Optional.of(Instant.ofEpochMilli(entry.expiresAtMillis()));
        return new Value(entry.value(), entry.version(), expiry);
    }
}
