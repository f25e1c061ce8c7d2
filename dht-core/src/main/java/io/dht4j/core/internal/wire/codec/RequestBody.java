package io.dht4j.core.internal.wire.codec;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.Request.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The bodies of requests: sizes, writing and reading. */
final class RequestBody {

    /** A part's remaining time and type. */
    static final int PART_BYTES = 8 + 1;

    private RequestBody() {}

    static int type(Request request) {
        if (request instanceof Request.ReadKeys) {
            return FrameTypes.READ_KEYS;
        }
        if (request instanceof Request.ApplyEntries) {
            return FrameTypes.APPLY_ENTRIES;
        }
        if (request instanceof Request.ScanPage) {
            return FrameTypes.SCAN_PAGE;
        }
        if (request instanceof Request.RefillPage) {
            return FrameTypes.REFILL_PAGE;
        }
        if (request instanceof RepairRequest repair) {
            return RepairBody.type(repair);
        }
        if (request instanceof Request.SnapshotRequest snapshot) {
            return SnapshotBody.type(snapshot);
        }
        if (request instanceof MembershipRequest membership) {
            return MembershipBody.type(membership);
        }
        if (request instanceof RegisterRequest register) {
            return RegisterBody.type(register);
        }
        if (request instanceof Request.Features) {
            return FrameTypes.FEATURES;
        }
        return request instanceof Request.Batch ? FrameTypes.BATCH : FrameTypes.PING;
    }

    static int size(Request request) {
        if (request instanceof Request.ReadKeys read) {
            return 4 + sizeOf(read.queries());
        }
        if (request instanceof Request.ApplyEntries apply) {
            return FrameWriter.sizeOf(apply.entries());
        }
        if (request instanceof Request.ScanPage scan) {
            return FrameWriter.sizeOf(scan.range().start())
                    + 1
                    + scan.range().end().map(FrameWriter::sizeOf).orElse(0)
                    + FrameWriter.sizeOf(scan.partitions())
                    + 4
                    + 4;
        }
        if (request instanceof Request.RefillPage refill) {
            return size(refill.page());
        }
        if (request instanceof Request.SnapshotRequest snapshot) {
            return SnapshotBody.size(snapshot);
        }
        if (request instanceof MembershipRequest membership) {
            return MembershipBody.size(membership);
        }
        if (request instanceof RegisterRequest register) {
            return RegisterBody.size(register);
        }
        if (request instanceof Request.Batch batch) {
            int size = 4 + 4 + 4;
            int partBytes = PART_BYTES + (hasRowVersions(batch) ? Long.BYTES : 0);
            boolean hasTraces = hasTraces(batch);
            for (Request.BatchPart part : batch.parts()) {
                int traceBytes = hasTraces ? TraceField.size(part.trace()) : 0;
                size = Math.addExact(size, partBytes + traceBytes + size(part.request()));
            }
            return size;
        }
        return request instanceof RepairRequest repair ? RepairBody.size(repair) : 0;
    }

    /** Returns whether each part of a batch is preceded by a row version. */
    static boolean hasRowVersions(Request.Batch batch) {
        for (int i = 0; i < batch.parts().size(); i++) {
            if (batch.parts().get(i).rowVersion() != 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether each part of a batch is preceded by a trace context, which may be none. */
    static boolean hasTraces(Request.Batch batch) {
        for (int i = 0; i < batch.parts().size(); i++) {
            if (batch.parts().get(i).trace() != null) {
                return true;
            }
        }
        return false;
    }

    static int sizeOf(List<Query> queries) {
        int size = 4;
        for (Query query : queries) {
            size += FrameWriter.sizeOf(query.key()) + 1;
        }
        return size;
    }

    static void write(FrameWriter out, List<Query> queries) {
        out.i32(queries.size());
        for (Query query : queries) {
            out.key(query.key()).flag(query.whole());
        }
    }

    static List<Query> queries(FrameReader in) throws FrameException {
        int count = in.items(2 + 1 + 1, "keys");
        List<Query> queries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            queries.add(new Query(in.key(), in.flag("the whole flag")));
        }
        return queries;
    }

    static void write(FrameWriter out, Request request) {
        if (request instanceof Request.ReadKeys read) {
            out.i32(read.inlineBytes());
            write(out, read.queries());
        } else if (request instanceof Request.ApplyEntries apply) {
            out.entries(apply.entries());
        } else if (request instanceof Request.ScanPage scan) {
            Optional<Key> end = scan.range().end();
            out.key(scan.range().start()).flag(end.isPresent());
            end.ifPresent(out::key);
            out.partitions(scan.partitions()).i32(scan.maxEntries()).i32(scan.maxBytes());
        } else if (request instanceof Request.RefillPage refill) {
            write(out, refill.page());
        } else if (request instanceof Request.SnapshotRequest snapshot) {
            SnapshotBody.write(out, snapshot);
        } else if (request instanceof Request.Batch batch) {
            out.i32(batch.replyBytes())
                    .i32(batch.largestBytes())
                    .i32(batch.parts().size());
            boolean hasRowVersions = hasRowVersions(batch);
            boolean hasTraces = hasTraces(batch);
            for (Request.BatchPart part : batch.parts()) {
                out.i64(part.remainingNanos());
                if (hasRowVersions) {
                    out.i64(part.rowVersion());
                }
                if (hasTraces) {
                    TraceField.write(out, part.trace());
                }
                out.u8(type(part.request()));
                write(out, part.request());
            }
        } else if (request instanceof MembershipRequest membership) {
            MembershipBody.write(out, membership);
        } else if (request instanceof RegisterRequest register) {
            RegisterBody.write(out, register);
        } else if (request instanceof RepairRequest repair) {
            RepairBody.write(out, repair);
        }
    }

    static Request read(FrameReader in, int type) throws FrameException {
        return switch (type) {
            case FrameTypes.READ_KEYS -> readKeys(in);
            case FrameTypes.APPLY_ENTRIES -> new Request.ApplyEntries(in.entries());
            case FrameTypes.SCAN_PAGE -> scanPage(in);
            case FrameTypes.REFILL_PAGE -> new Request.RefillPage(scanPage(in));
            case FrameTypes.PING -> new Request.Ping();
            case FrameTypes.FEATURES -> new Request.Features();
            case FrameTypes.BATCH -> batch(in);
            case FrameTypes.REPAIR_SUMS,
                    FrameTypes.REPAIR_VERSIONS,
                    FrameTypes.REPAIR_PREPARE,
                    FrameTypes.REPAIR_DECISION,
                    FrameTypes.REPAIR_WATERMARKS,
                    FrameTypes.REPAIR_ENTRIES -> RepairBody.readRequest(in, type);
            case FrameTypes.OPEN_SNAPSHOT,
                    FrameTypes.FIX_SNAPSHOT,
                    FrameTypes.SNAPSHOT_PAGE,
                    FrameTypes.RENEW_SNAPSHOT,
                    FrameTypes.END_SNAPSHOT -> SnapshotBody.read(in, type);
            case FrameTypes.FOUND_CLUSTER,
                    FrameTypes.CLUSTER_STATE,
                    FrameTypes.APPEND_COMMAND,
                    FrameTypes.LOG_PART,
                    FrameTypes.NODE_REPORT,
                    FrameTypes.ADMIT_NODE -> MembershipBody.readRequest(in, type);
            case FrameTypes.REGISTER_PREPARE,
                    FrameTypes.REGISTER_ACCEPT,
                    FrameTypes.REGISTER_READ,
                    FrameTypes.REGISTER_EXECUTE -> RegisterBody.readRequest(in, type);
            default -> throw in.malformed("unknown request type " + type);
        };
    }

    private static Request.ReadKeys readKeys(FrameReader in) throws FrameException {
        int inlineBytes = in.size("the inline limit");
        return new Request.ReadKeys(queries(in), inlineBytes);
    }

    static Request.ScanPage scanPage(FrameReader in) throws FrameException {
        Key start = in.key();
        Optional<Key> end = in.flag("the end flag") ? Optional.of(in.key()) : Optional.empty();
        return new Request.ScanPage(
                new KeyRange(start, end), in.partitions(), in.size("the entry limit"), in.size("the byte limit"));
    }

    private static boolean isPart(int type) {
        return type == FrameTypes.READ_KEYS
                || type == FrameTypes.APPLY_ENTRIES
                || (type >= FrameTypes.REGISTER_PREPARE && type <= FrameTypes.REGISTER_READ);
    }

    private static Request.Batch batch(FrameReader in) throws FrameException {
        boolean hasRowVersions = in.hasRowVersions();
        int replyBytes = in.size("the reply's limit");
        int largestBytes = in.size("the largest value");
        int leastBytes =
                PART_BYTES + 4 + (hasRowVersions ? Long.BYTES : 0) + (in.hasTraces() ? TraceField.MIN_BYTES : 0);
        int count = in.count(leastBytes, "parts");
        if (count > FrameCodec.MAX_ITEMS) {
            throw in.malformed("at most " + FrameCodec.MAX_ITEMS + " parts, not " + count);
        }
        List<Request.Part> parts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long remaining = in.i64("a part's remaining time");
            if (remaining <= 0) {
                throw in.malformed("a part's remaining time must be more than zero, is " + remaining);
            }
            long rowVersion = hasRowVersions ? in.i64("a part's row version") : 0;
            if (rowVersion < 0) {
                throw in.malformed("a part's row version must not be negative, is " + rowVersion);
            }
            TraceContext trace = in.hasTraces() ? TraceField.read(in) : null;
            int type = in.u8("a part's type");
            if (!isPart(type)) {
                throw in.malformed("a part is of type 1, 2, 32, 33 or 34, not " + type);
            }
            parts.add(new Request.Part(read(in, type), remaining, rowVersion, trace));
        }
        return new Request.Batch(parts, replyBytes, largestBytes);
    }
}
