package io.dht4j.testkit.store;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Entries for tests of stores. */
public final class Entries {

    /** The seed of the histories. */
    static final long SEED = 20_261_120;

    /** The time at which stores are purged. */
    static final long NOW = 1_000_000;

    private Entries() {}

    /**
     * Creates a value without an expiry.
     *
     * @param key its key
     * @param version its version
     * @param text its bytes, as UTF-8
     * @return the entry
     */
    public static Entry value(String key, long version, String text) {
        return Entry.value(Key.of(key), new Version(version), text.getBytes(StandardCharsets.UTF_8), Entry.NEVER);
    }

    /**
     * Creates a tombstone.
     *
     * @param key its key
     * @param version its version
     * @return the entry
     */
    public static Entry tombstone(String key, long version) {
        return Entry.tombstone(Key.of(key), new Version(version));
    }

    /**
     * Returns all entries of a store in a range.
     *
     * @param from an open store
     * @param range the range
     * @return its entries in the order of the scan
     */
    public static List<Entry> scanned(Store from, KeyRange range) {
        List<Entry> entries = new ArrayList<>();
        try (EntryCursor cursor = from.scan(range)) {
            cursor.forEachRemaining(entries::add);
        }
        return entries;
    }

    /**
     * Returns entries of random keys, versions and values, including tombstones, expiries and many ties.
     *
     * @param random the source of random numbers
     * @param count how many
     * @param keys the number of different keys
     * @return the entries
     */
    public static List<Entry> randomEntries(SplittableRandom random, int count, int keys) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Key key = Key.of("key-" + random.nextInt(keys));
            Version version = new Version(1 + random.nextInt(8));
            if (random.nextInt(4) == 0) {
                entries.add(Entry.tombstone(key, version));
            } else {
                byte[] bytes = new byte[random.nextInt(40)];
                Arrays.fill(bytes, (byte) random.nextInt(256));
                long expiry = random.nextInt(3) == 0 ? NOW - 2 + random.nextInt(4) : Entry.NEVER;
                entries.add(Entry.value(key, version, bytes, expiry));
            }
        }
        return entries;
    }
}
