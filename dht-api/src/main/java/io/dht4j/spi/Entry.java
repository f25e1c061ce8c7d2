package io.dht4j.spi;

import io.dht4j.Key;
import io.dht4j.Version;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The stored state of a key: a value or a tombstone, with its version. Immutable as long as callers leave the array of
 * {@link #value()} unchanged.
 */
public final class Entry {

    /** The expiry of an entry without one. */
    public static final long NEVER = 0;

    private static final byte[] NO_BYTES = {};

    private final Key key;
    private final Version version;
    private final boolean tombstone;
    private final byte[] value;
    private final long expiresAtMillis;
    /** Zero until first computed. Not volatile: threads that miss another's result compute the same one. */
    private int digest;

    private Entry(Key key, Version version, boolean tombstone, byte[] value, long expiresAtMillis) {
        this.key = key;
        this.version = version;
        this.tombstone = tombstone;
        this.value = value;
        this.expiresAtMillis = expiresAtMillis;
    }

    /**
     * Creates an entry with a value.
     *
     * @param key the key
     * @param version when it was written
     * @param value its bytes; not copied
     * @param expiresAtMillis when it expires, in milliseconds since 1970, or {@link #NEVER}
     * @return the entry
     * @throws IllegalArgumentException if the expiry is negative
     */
    public static Entry value(Key key, Version version, byte[] value, long expiresAtMillis) {
        if (expiresAtMillis < 0) {
            throw new IllegalArgumentException("expiry must be 0 (never) or more, not " + expiresAtMillis);
        }
        return new Entry(key, version, false, value, expiresAtMillis);
    }

    /**
     * Creates a tombstone.
     *
     * @param key the key
     * @param version when it was deleted
     * @return the entry
     */
    public static Entry tombstone(Key key, Version version) {
        return new Entry(key, version, true, NO_BYTES, NEVER);
    }

    /**
     * Returns the same entry with another version.
     *
     * @param other the other version
     * @return a new entry, which shares the value's array with this one
     */
    public Entry withVersion(Version other) {
        return isTombstone() ? tombstone(key, other) : value(key, other, value, expiresAtMillis);
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
     * Returns the version of the write.
     *
     * @return the version
     */
    public Version version() {
        return version;
    }

    /**
     * Returns whether this entry is a tombstone.
     *
     * @return true for a tombstone
     */
    public boolean isTombstone() {
        return tombstone;
    }

    /**
     * Returns the value's array without a copy. Callers must not change it.
     *
     * @return its bytes; none for a tombstone
     */
    public byte[] value() {
        return value;
    }

    /**
     * Returns the size of the key and the value together, without version, expiry and overhead.
     *
     * @return bytes; at least one, since no key is empty
     */
    public long bytes() {
        return (long) key.length() + value.length;
    }

    /**
     * Returns when the value expires.
     *
     * @return milliseconds since 1970, or {@link #NEVER}
     */
    public long expiresAtMillis() {
        return expiresAtMillis;
    }

    /**
     * Returns whether readers see the value.
     *
     * @param nowMillis the wall clock, in milliseconds since 1970
     * @return false for a tombstone and for an expired value
     */
    public boolean isLive(long nowMillis) {
        return !tombstone && (expiresAtMillis == NEVER || nowMillis < expiresAtMillis);
    }

    /**
     * Returns whether this entry supersedes another entry of the same key. The order is total: newer version, then
     * tombstone, then larger value as unsigned bytes, then later expiry ({@link #NEVER} is the latest). Merging by this
     * order is commutative, associative and idempotent.
     *
     * @param other an entry of the same key
     * @return false if the other entry supersedes this one, or if they are equal
     */
    public boolean supersedes(Entry other) {
        int byVersion = version.compareTo(other.version);
        if (byVersion != 0) {
            return byVersion > 0;
        }
        if (tombstone != other.tombstone) {
            return tombstone;
        }
        int byValue = Arrays.compareUnsigned(value, other.value);
        if (byValue != 0) {
            return byValue > 0;
        }
        // NEVER is 0; subtracting one makes it the largest unsigned number.
        return Long.compareUnsigned(expiresAtMillis - 1, other.expiresAtMillis - 1) > 0;
    }

    /**
     * Returns the entry of a key that supersedes the other.
     *
     * @param one an entry
     * @param other an entry of the same key
     * @return the winner
     */
    public static Entry newest(Entry one, Entry other) {
        return other.supersedes(one) ? other : one;
    }

    /**
     * Returns a digest of the value, the expiry and the kind of entry, without key and version. It distinguishes two
     * values of the same version except in one case of 2^32. The digest is the CRC-32C (RFC 3720, appendix B.4) of the
     * value and the expiry, computed at the first call and cached.
     *
     * @return any number, the same on every node
     */
    public int digest() {
        int known = digest;
        if (known == 0) {
            CRC32C crc = new CRC32C();
            crc.update(value);
            long expiry = tombstone ? -1 : expiresAtMillis;
            for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
                crc.update((int) (expiry >>> shift));
            }
            known = (int) crc.getValue();
            digest = known;
        }
        return known;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof Entry entry
                        && tombstone == entry.tombstone
                        && expiresAtMillis == entry.expiresAtMillis
                        && version.equals(entry.version)
                        && key.equals(entry.key)
                        && Arrays.equals(value, entry.value));
    }

    @Override
    public int hashCode() {
        return 31 * key.hashCode() + version.hashCode();
    }

    @Override
    public String toString() {
        return "Entry[" + key + "@" + version + (tombstone ? " tombstone" : " " + value.length + " bytes")
                + (expiresAtMillis == NEVER ? "" : " until " + expiresAtMillis) + "]";
    }
}
