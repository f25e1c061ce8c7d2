package io.dht4j.server.client;

import io.dht4j.Key;
import io.dht4j.Version;
import java.util.Optional;
import java.util.OptionalLong;

/** An entry as files hold it. Immutable as long as the value's array is not changed. */
public final class Item {

    private final Key key;
    private final byte[] value;
    private final OptionalLong expiresAtMillis;
    private final Optional<Version> version;

    /**
     * Creates an entry without a version.
     *
     * @param key its key
     * @param value its value; not copied
     * @param expiresAtMillis when it stops to be readable, in milliseconds since 1970; empty for never
     */
    public Item(Key key, byte[] value, OptionalLong expiresAtMillis) {
        this(key, value, expiresAtMillis, Optional.empty());
    }

    /**
     * Creates an entry of a cluster.
     *
     * @param key its key
     * @param value its value; not copied
     * @param expiresAtMillis when it stops to be readable, in milliseconds since 1970; empty for never
     * @param version when it was written, if that is known
     */
    public Item(Key key, byte[] value, OptionalLong expiresAtMillis, Optional<Version> version) {
        this.key = key;
        this.value = value;
        this.expiresAtMillis = expiresAtMillis;
        this.version = version;
    }

    /**
     * Returns when the entry was written.
     *
     * @return the version that its cluster gave, or empty if that is not known
     */
    public Optional<Version> version() {
        return version;
    }

    /**
     * Returns the key.
     *
     * @return the key
     */
    public Key key() {
        return key;
    }

    /**
     * Returns the value.
     *
     * @return the array itself
     */
    public byte[] value() {
        return value;
    }

    /**
     * Returns when the entry stops to be readable.
     *
     * @return milliseconds since 1970, or empty for never
     */
    public OptionalLong expiresAtMillis() {
        return expiresAtMillis;
    }
}
