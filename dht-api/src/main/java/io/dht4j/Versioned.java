package io.dht4j;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A value with its version.
 *
 * @param value the value
 * @param version the version, which increases with each change of the key
 * @param expiresAt when the value expires, in whole milliseconds; empty for never
 * @param <V> the value's type
 */
public record Versioned<V>(V value, Version version, Optional<Instant> expiresAt) {

    /** Requires all. */
    public Versioned {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(expiresAt, "expiresAt");
    }
}
