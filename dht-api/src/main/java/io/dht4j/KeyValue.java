package io.dht4j;

import java.util.Objects;

/**
 * One entry of a scan.
 *
 * @param key the key
 * @param value its newest value
 */
public record KeyValue(Key key, Value value) {

    /** Requires both. */
    public KeyValue {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(value, "value");
    }
}
