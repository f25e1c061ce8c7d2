package io.dht4j.examples.client;

import io.dht4j.Key;
import java.util.OptionalLong;

/** An entry as files hold it. Immutable as long as nobody changes the value's array. */
public final class Item {

    private final Key key;
    private final byte[] value;
    private final OptionalLong expiresAtMillis;

    /**
     * An entry.
     *
     * @param key its key
     * @param value its value; not copied
     * @param expiresAtMillis when it stops to be readable, in milliseconds since 1970; empty for never
     */
    public Item(Key key, byte[] value, OptionalLong expiresAtMillis) {
        this.key = key;
        this.value = value;
        this.expiresAtMillis = expiresAtMillis;
    }

    /**
     * The key.
     *
     * @return the key
     */
    public Key key() {
        return key;
    }

    /**
     * The value.
     *
     * @return the array itself
     */
    public byte[] value() {
        return value;
    }

    /**
     * When the entry stops to be readable.
     *
     * @return milliseconds since 1970, or empty for never
     */
    public OptionalLong expiresAtMillis() {
        return expiresAtMillis;
    }
}
