package io.dht4j.core.internal.wire;

import io.dht4j.Version;

/** The bodies of frames about snapshots: sizes, writing and reading. */
final class CutBody {

    /** One hour. */
    private static final long LONGEST_LEASE_NANOS = 3_600_000_000_000L;

    private CutBody() {}

    static int type(Request.CutRequest request) {
        if (request instanceof Request.OpenCut) {
            return FrameTypes.OPEN_CUT;
        }
        if (request instanceof Request.FixCut) {
            return FrameTypes.FIX_CUT;
        }
        if (request instanceof Request.CutPage) {
            return FrameTypes.CUT_PAGE;
        }
        return request instanceof Request.KeepCut ? FrameTypes.KEEP_CUT : FrameTypes.END_CUT;
    }

    static int size(Request.CutRequest request) {
        if (request instanceof Request.CutPage page) {
            return 8 + RequestBody.size(page.page());
        }
        return request instanceof Request.OpenCut || request instanceof Request.FixCut ? 8 + 8 : 8;
    }

    static void write(FrameWriter out, Request.CutRequest request) {
        if (request instanceof Request.OpenCut open) {
            out.i64(open.id().packed()).i64(open.leaseNanos());
        } else if (request instanceof Request.FixCut fix) {
            out.i64(fix.id().packed()).i64(fix.at().packed());
        } else if (request instanceof Request.CutPage page) {
            out.i64(page.at().packed());
            RequestBody.write(out, page.page());
        } else if (request instanceof Request.KeepCut keep) {
            out.i64(keep.at().packed());
        } else if (request instanceof Request.EndCut end) {
            out.i64(end.version().packed());
        }
    }

    static Request read(FrameReader in, int type) throws FrameException {
        Version version = in.version();
        return switch (type) {
            case FrameTypes.OPEN_CUT -> {
                long lease = in.i64("a snapshot's lease");
                if (lease <= 0 || lease > LONGEST_LEASE_NANOS) {
                    throw in.malformed("a snapshot's lease must be 1 to " + LONGEST_LEASE_NANOS + " ns, is " + lease);
                }
                yield new Request.OpenCut(version, lease);
            }
            case FrameTypes.FIX_CUT -> new Request.FixCut(version, in.version());
            case FrameTypes.CUT_PAGE -> new Request.CutPage(version, RequestBody.scanPage(in));
            case FrameTypes.KEEP_CUT -> new Request.KeepCut(version);
            case FrameTypes.END_CUT -> new Request.EndCut(version);
            default -> throw in.malformed("no message of a snapshot: type " + type);
        };
    }
}
