package io.dht4j;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * A value with its version, as returned by a read. Immutable as long as callers leave the array of {@link #bytes()}
 * unchanged.
 */
public final class Value {

    private final byte[] bytes;
    private final Version version;
    private final Optional<Instant> expiresAt;

    /**
     * Creates a value.
     *
     * @param bytes the value; not copied
     * @param version when it was written
     * @param expiresAt when it expires, by the clocks of the nodes, in whole milliseconds; empty for never
     */
    public Value(byte[] bytes, Version version, Optional<Instant> expiresAt) {
        this.bytes = Objects.requireNonNull(bytes, "bytes");
        this.version = Objects.requireNonNull(version, "version");
        this.expiresAt = Objects.requireNonNull(expiresAt, "expiresAt").map(at -> at.truncatedTo(ChronoUnit.MILLIS));
    }

    /**
     * Returns the value's array without a copy. Callers must not change it.
     *
     * @return 0 bytes or more
     */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * Returns the bytes decoded as UTF-8.
     *
     * @return the text; malformed bytes become replacement characters
     */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Returns the version of the write.
     *
     * @return the version that the write's coordinator assigned
     */
    public Version version() {
        return version;
    }

    /**
     * Returns when the value expires.
     *
     * @return a time of whole milliseconds, by the clocks of the nodes; empty for never
     */
    public Optional<Instant> expiresAt() {
        return expiresAt;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Value value
                && version.equals(value.version)
                && expiresAt.equals(value.expiresAt)
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
