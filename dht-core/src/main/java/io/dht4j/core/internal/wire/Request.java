package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A coordinator's request to a replica. */
public sealed interface Request
        permits Request.ReadKeys,
                Request.ApplyEntries,
                Request.ScanPage,
                Request.RefillPage,
                Request.Ping,
                Request.Features,
                Request.Batch,
                RepairRequest,
                MembershipRequest,
                RegisterRequest,
                Request.SnapshotRequest {

    /**
     * Reads keys.
     *
     * @param queries the queries of the keys
     * @param inlineBytes values up to this size are in every answer
     */
    record ReadKeys(List<Query> queries, int inlineBytes) implements Request {}

    /**
     * A key to read.
     *
     * @param key the key
     * @param whole whether its value is requested regardless of its size
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
     * @param maxEntries the maximum number of entries
     * @param maxBytes the page ends with the entry that reaches this size
     */
    record ScanPage(KeyRange range, PartitionSet partitions, int maxEntries, int maxBytes) implements Request {}

    /**
     * Reads a page for a replica that refills its store. It waits for the store separately from clients' reads.
     *
     * @param page the page
     */
    record RefillPage(ScanPage page) implements Request {}

    /** A request about a snapshot: the node's store as of a version. */
    sealed interface SnapshotRequest extends Request {}

    /**
     * Begins to keep superseded entries.
     *
     * @param id identifies the snapshot until its version is known
     * @param leaseNanos how long it may be unused, 1 nanosecond to 1 hour
     */
    record OpenSnapshot(Version id, long leaseNanos) implements SnapshotRequest {}

    /**
     * Fixes the version of a snapshot.
     *
     * @param id identifies the snapshot
     * @param at its version
     */
    record FixSnapshot(Version id, Version at) implements SnapshotRequest {}

    /**
     * Reads a page as of a snapshot's version.
     *
     * @param at the version
     * @param page the page
     */
    record SnapshotPage(Version at, ScanPage page) implements SnapshotRequest {}

    /**
     * Renews the lease of a snapshot.
     *
     * @param at its version
     */
    record RenewSnapshot(Version at) implements SnapshotRequest {}

    /**
     * Ends a snapshot, if it is open.
     *
     * @param version its version or identifier
     */
    record EndSnapshot(Version version) implements SnapshotRequest {}

    /** A ping. */
    record Ping() implements Request {}

    /** Asks which optional fields of frames the node reads. Earlier versions do not know this request. */
    record Features() implements Request {}

    /**
     * Several requests in one frame. Each is served independently and gets a reply of its own.
     *
     * @param parts reads, writes and requests of proposers to replicas, in any order
     * @param replyBytes the maximum number of bytes of values in the reply; for values that do not fit, only the
     *     versions are returned
     * @param largestBytes for larger values only the versions are returned, so that they do not delay small ones
     */
    record Batch(List<? extends BatchPart> parts, int replyBytes, int largestBytes) implements Request {}

    /** One of several requests in a frame. Sent requests implement it, which saves an object for each. */
    interface BatchPart {

        /**
         * Returns the request.
         *
         * @return {@link ReadKeys}, {@link ApplyEntries} or a request of a proposer to a replica
         */
        Request request();

        /**
         * Returns the remaining time.
         *
         * @return nanoseconds, more than zero
         */
        long remainingNanos();

        /**
         * Returns the highest row version of its partitions in its view. Parts have different views, so one version for
         * the whole frame would hide a part of an older view.
         *
         * @return 0 for none
         */
        long rowVersion();

        /**
         * Returns the trace context of the sender.
         *
         * @return null if it has none, or the recipient does not read it
         */
        @Nullable
        TraceContext trace();
    }

    /**
     * A received part of a frame.
     *
     * @param request {@link ReadKeys} or {@link ApplyEntries}
     * @param remainingNanos its remaining time, more than zero
     * @param rowVersion the highest row version of its partitions; 0 for none
     * @param trace the trace context of the sender; null if it has none
     */
    record Part(
            Request request,
            long remainingNanos,
            long rowVersion,
            @Nullable TraceContext trace) implements BatchPart {

        /**
         * Creates a part without a span.
         *
         * @param request {@link ReadKeys} or {@link ApplyEntries}
         * @param remainingNanos its remaining time
         * @param rowVersion the highest row version of its partitions; 0 for none
         */
        public Part(Request request, long remainingNanos, long rowVersion) {
            this(request, remainingNanos, rowVersion, null);
        }

        /**
         * Creates a part without a row version and a span.
         *
         * @param request {@link ReadKeys} or {@link ApplyEntries}
         * @param remainingNanos its remaining time
         */
        public Part(Request request, long remainingNanos) {
            this(request, remainingNanos, 0);
        }
    }
}
