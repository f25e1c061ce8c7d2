package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;

/** What the map holds for a key: an entry without its key. */
final class Stored {

    /** Header, three fields of 8 bytes or less, and the array's header: the heap that an empty value takes. */
    static final int OVERHEAD_BYTES = 56;

    private static final byte[] NO_BYTES = {};

    private final long version;
    private final long expiresAtMillis;
    private final boolean tombstone;
    private final byte[] value;
    /** That of the value, whether it is here or in pieces. */
    private final int length;
    /** That of the entry, where the value is in pieces. */
    private final int digest;

    Stored(long version, boolean tombstone, long expiresAtMillis, byte[] value) {
        this.version = version;
        this.tombstone = tombstone;
        this.expiresAtMillis = expiresAtMillis;
        this.value = value;
        this.length = value.length;
        this.digest = 0;
    }

    /** One whose value is in {@link Pieces}. */
    Stored(long version, long expiresAtMillis, int length, int digest) {
        this.version = version;
        this.tombstone = false;
        this.expiresAtMillis = expiresAtMillis;
        this.value = NO_BYTES;
        this.length = length;
        this.digest = digest;
    }

    static Stored of(Entry entry) {
        return isLarge(entry)
                ? new Stored(entry.version().packed(), entry.expiresAtMillis(), entry.value().length, entry.digest())
                : new Stored(entry.version().packed(), entry.isTombstone(), entry.expiresAtMillis(), entry.value());
    }

    /** Whether the value of an entry is kept in pieces. */
    static boolean isLarge(Entry entry) {
        return entry.value().length > Pieces.BYTES;
    }

    /** Whether the value is in pieces. */
    boolean isInPieces() {
        return length != value.length;
    }

    /** The entry of a value that is here. */
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
