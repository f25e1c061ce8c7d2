package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.spi.Entry;
import java.util.BitSet;
import java.util.List;

/** What a coordinator asks of a replica. */
public sealed interface Request {

    /**
     * Reads keys.
     *
     * @param queries the keys, each with what is wanted of it
     * @param inlineBytes values up to this size come with every answer
     */
    record ReadKeys(List<Query> queries, int inlineBytes) implements Request {}

    /**
     * A key to read.
     *
     * @param key the key
     * @param whole whether its value is wanted whatever its size
     */
    record Query(Key key, boolean whole) {}

    /**
     * Merges entries into the store.
     *
     * @param entries values and tombstones
     */
    record ApplyEntries(List<Entry> entries) implements Request {}

    /**
     * Reads a page of a range.
     *
     * @param range the keys to show
     * @param partitions only keys of these partitions; empty for all keys
     * @param maxEntries the most entries of the page
     * @param maxBytes the page ends with the entry that brings it to this size
     */
    record ScanPage(KeyRange range, BitSet partitions, int maxEntries, int maxBytes) implements Request {}

    /** Asks for nothing but an answer. */
    record Ping() implements Request {}
}
