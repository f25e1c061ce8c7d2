package io.dht4j;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * A value as it was read, with its version. Immutable as long as nobody changes the array that {@link #bytes()} hands
 * out.
 */
public final class Value {

    private final byte[] bytes;
    private final Version version;
    private final OptionalLong expiresAtMillis;

    /**
     * A value that was read.
     *
     * @param bytes the value; not copied
     * @param version when it was written
     * @param expiresAtMillis when it stops to be readable, in milliseconds since 1970; empty for never
     */
    public Value(byte[] bytes, Version version, OptionalLong expiresAtMillis) {
        this.bytes = bytes;
        this.version = version;
        this.expiresAtMillis = expiresAtMillis;
    }

    /**
     * The value's bytes: the array itself, which callers must not change.
     *
     * @return 0 bytes or more
     */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * The bytes read as UTF-8.
     *
     * @return the text; malformed bytes become replacement characters
     */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * When the value was written.
     *
     * @return the version that the write's coordinator gave
     */
    public Version version() {
        return version;
    }

    /**
     * When the value stops to be readable.
     *
     * @return milliseconds since 1970, or empty for never
     */
    public OptionalLong expiresAtMillis() {
        return expiresAtMillis;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Value value
                && version.equals(value.version)
                && expiresAtMillis.equals(value.expiresAtMillis)
                && Arrays.equals(bytes, value.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * version.hashCode() + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Value[" + bytes.length + " bytes, version " + version + "]";
    }
}
