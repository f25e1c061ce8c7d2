package io.dht4j.core.internal.wire.codec;

import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;

/** The bodies of frames about snapshots: sizes, writing and reading. */
final class SnapshotBody {

    /** One hour. */
    private static final long LONGEST_LEASE_NANOS = 3_600_000_000_000L;

    private SnapshotBody() {}

    static int type(Request.SnapshotRequest request) {
        if (request instanceof Request.OpenSnapshot) {
            return FrameTypes.OPEN_SNAPSHOT;
        }
        if (request instanceof Request.FixSnapshot) {
            return FrameTypes.FIX_SNAPSHOT;
        }
        if (request instanceof Request.SnapshotPage) {
            return FrameTypes.SNAPSHOT_PAGE;
        }
        return request instanceof Request.RenewSnapshot ? FrameTypes.RENEW_SNAPSHOT : FrameTypes.END_SNAPSHOT;
    }

    static int size(Request.SnapshotRequest request) {
        if (request instanceof Request.SnapshotPage page) {
            return 8 + RequestBody.size(page.page());
        }
        return request instanceof Request.OpenSnapshot || request instanceof Request.FixSnapshot ? 8 + 8 : 8;
    }

    static void write(FrameWriter out, Request.SnapshotRequest request) {
        if (request instanceof Request.OpenSnapshot open) {
            out.i64(open.id().packed()).i64(open.leaseNanos());
        } else if (request instanceof Request.FixSnapshot fix) {
            out.i64(fix.id().packed()).i64(fix.at().packed());
        } else if (request instanceof Request.SnapshotPage page) {
            out.i64(page.at().packed());
            RequestBody.write(out, page.page());
        } else if (request instanceof Request.RenewSnapshot keep) {
            out.i64(keep.at().packed());
        } else if (request instanceof Request.EndSnapshot end) {
            out.i64(end.version().packed());
        }
    }

    /**
     * Reads a reply that excludes partitions. An empty exclusion is malformed, since it would repeat a scan without
     * end.
     */
    static Reply.SnapshotLacks lacks(FrameReader in, PartitionSet requested) throws FrameException {
        PartitionSet partitions = in.partitions();
        if (partitions.isEmpty() || !partitions.minus(requested).isEmpty()) {
            throw in.malformed("a snapshot that lacks " + partitions.cardinality()
                    + " partitions, of which some were not asked for, or none");
        }
        return new Reply.SnapshotLacks(partitions);
    }

    static Request read(FrameReader in, int type) throws FrameException {
        Version version = in.version();
        return switch (type) {
            case FrameTypes.OPEN_SNAPSHOT -> {
                long lease = in.i64("a snapshot's lease");
                if (lease <= 0 || lease > LONGEST_LEASE_NANOS) {
                    throw in.malformed("a snapshot's lease must be 1 to " + LONGEST_LEASE_NANOS + " ns, is " + lease);
                }
                yield new Request.OpenSnapshot(version, lease);
            }
            case FrameTypes.FIX_SNAPSHOT -> new Request.FixSnapshot(version, in.version());
            case FrameTypes.SNAPSHOT_PAGE -> new Request.SnapshotPage(version, RequestBody.scanPage(in));
            case FrameTypes.RENEW_SNAPSHOT -> new Request.RenewSnapshot(version);
            case FrameTypes.END_SNAPSHOT -> new Request.EndSnapshot(version);
            default -> throw in.malformed("no message of a snapshot: type " + type);
        };
    }
}
