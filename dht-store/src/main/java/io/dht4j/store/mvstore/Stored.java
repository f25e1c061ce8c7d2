package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;

/** What the map holds for a key: an entry without its key. */
final class Stored {

    /** Header, three fields of 8 bytes or less, and the array's header: the heap that an empty value takes. */
    static final int OVERHEAD_BYTES = 56;

    private final long version;
    private final long expiresAtMillis;
    private final boolean tombstone;
    private final byte[] value;

    Stored(long version, boolean tombstone, long expiresAtMillis, byte[] value) {
        this.version = version;
        this.tombstone = tombstone;
        this.expiresAtMillis = expiresAtMillis;
        this.value = value;
    }

    static Stored of(Entry entry) {
        return new Stored(entry.version().packed(), entry.isTombstone(), entry.expiresAtMillis(), entry.value());
    }

    Entry toEntry(Key key) {
        Version packed = new Version(version);
        return tombstone ? Entry.tombstone(key, packed) : Entry.value(key, packed, value, expiresAtMillis);
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
