package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.BitSet;
import java.util.List;

/** What a coordinator asks of a replica. */
public sealed interface Request
        permits Request.ReadKeys,
                Request.ApplyEntries,
                Request.ScanPage,
                Request.Ping,
                Request.Batch,
                RepairRequest,
                Request.CutRequest {

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

    /** What concerns a snapshot: the node's store as it was at a version. */
    sealed interface CutRequest extends Request {}

    /**
     * Begins to keep what writes supersede.
     *
     * @param id names the cut until its version is known
     * @param leaseNanos how long it may be left alone, 1 nanosecond to 1 hour
     */
    record OpenCut(Version id, long leaseNanos) implements CutRequest {}

    /**
     * Fixes the version of a cut.
     *
     * @param id names the cut
     * @param at its version
     */
    record FixCut(Version id, Version at) implements CutRequest {}

    /**
     * Reads a page as it was at a cut's version.
     *
     * @param at the version
     * @param page what to read
     */
    record CutPage(Version at, ScanPage page) implements CutRequest {}

    /**
     * Renews the lease of a cut.
     *
     * @param at its version
     */
    record KeepCut(Version at) implements CutRequest {}

    /**
     * Forgets a cut, if it is there.
     *
     * @param version its version, or what names it
     */
    record EndCut(Version version) implements CutRequest {}

    /** Asks for nothing but an answer. */
    record Ping() implements Request {}

    /**
     * Several requests that travel in one frame. Each is served for itself and gets a reply of its own.
     *
     * @param parts reads and writes, in any order
     * @param replyBytes how many bytes of values the reply may bring; those that do not fit are named by their versions
     * @param largestBytes larger values are named by their versions, so that they do not hold up small ones
     */
    record Batch(List<Part> parts, int replyBytes, int largestBytes) implements Request {}

    /**
     * One of several requests in a frame.
     *
     * @param request {@link ReadKeys} or {@link ApplyEntries}
     * @param remainingNanos the time that is left for it, more than zero
     */
    record Part(Request request, long remainingNanos) {}
}
