package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;

/** The value of the map for a key: an entry without its key. */
final class MapValue {

    /** The heap of an empty value: header, three fields of 8 bytes or less, and the array's header. */
    static final int OVERHEAD_BYTES = 56;

    private static final byte[] NO_BYTES = {};

    private final long version;
    private final long expiresAtMillis;
    private final boolean tombstone;
    private final byte[] value;
    /** The length of the value, fragmented or not. */
    private final int length;
    /** The digest of the entry, if the value is fragmented. */
    private final int digest;

    MapValue(long version, boolean tombstone, long expiresAtMillis, byte[] value) {
        this.version = version;
        this.tombstone = tombstone;
        this.expiresAtMillis = expiresAtMillis;
        this.value = value;
        this.length = value.length;
        this.digest = 0;
    }

    /** A value whose bytes are in {@link LargeValues}. */
    MapValue(long version, long expiresAtMillis, int length, int digest) {
        this.version = version;
        this.tombstone = false;
        this.expiresAtMillis = expiresAtMillis;
        this.value = NO_BYTES;
        this.length = length;
        this.digest = digest;
    }

    static MapValue of(Entry entry) {
        return isLarge(entry)
                ? new MapValue(entry.version().packed(), entry.expiresAtMillis(), entry.value().length, entry.digest())
                : new MapValue(entry.version().packed(), entry.isTombstone(), entry.expiresAtMillis(), entry.value());
    }

    /** Returns whether the value of an entry is kept in fragments. */
    static boolean isLarge(Entry entry) {
        return entry.value().length > LargeValues.FRAGMENT_BYTES;
    }

    /** Returns whether the value is kept in fragments. */
    boolean isFragmented() {
        return length != value.length;
    }

    /** Returns the entry of a value that is not fragmented. */
    Entry toEntry(Key key) {
        return toEntry(key, value);
    }

    Entry toEntry(Key key, byte[] bytes) {
        Version packed = new Version(version);
        return tombstone ? Entry.tombstone(key, packed) : Entry.value(key, packed, bytes, expiresAtMillis);
    }

    int length() {
        return length;
    }

    int digest() {
        return digest;
    }

    long version() {
        return version;
    }

    long expiresAtMillis() {
        return expiresAtMillis;
    }

    boolean isTombstone() {
        return tombstone;
    }

    byte[] value() {
        return value;
    }
}
