package io.dht4j.core.internal.hash;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.dht4j.Key;
import io.dht4j.spi.Entry;

/**
 * A short stand-in for what an entry holds besides key and version: two entries of one key and version are equal if their digests are, but for
 * one case in 2^64. By XXH3, on every node, whatever function places keys.
 */
public final class EntryDigest {

    private static final Hasher64 HASHER = Hashing.xxh3_64();

    private EntryDigest() {}

    /**
     * The digest of an entry.
     *
     * @param entry a value or a tombstone
     * @return of its value, its expiry and whether it is a tombstone
     */
    public static long of(Entry entry) {
        long value = HASHER.hashBytesToLong(entry.value());
        return HASHER.hashLongLongToLong(value, entry.isTombstone() ? -1 : entry.expiresAtMillis());
    }

    /**
     * The digest of a key.
     *
     * @param key any key
     * @return of its bytes
     */
    public static long ofKey(Key key) {
        return HASHER.hashBytesToLong(key.unsafeBytes());
    }

    /**
     * The digest of everything that an entry is.
     *
     * @param keyDigest of its key
     * @param entry a value or a tombstone
     * @return of its key, its version and what {@link #of} covers
     */
    public static long combined(long keyDigest, Entry entry) {
        return HASHER.hashLongLongLongToLong(keyDigest, entry.version().packed(), of(entry));
    }
}
