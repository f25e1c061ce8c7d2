package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Frame;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way to several replicas. The body of a frame of its own is encoded once for all of them, and not at
 * all if only the local one is asked or the request goes in a frame with others. Safe for use by any number of threads.
 */
public final class Outgoing {

    /** More than a part of a batch takes besides its keys or entries, in the request or in the reply. */
    private static final int PART_BYTES = 32;

    /** More than a key takes besides its bytes in a request, and its answer besides the value. */
    public static final int BYTES_PER_KEY = 32;

    /** What is larger takes its time whatever the node has to do. */
    private static final int QUICK_BYTES = 64 * 1024;

    private static final int LARGE_BYTES = 1 << 20;

    /** Which requests share frames. */
    public enum Kind {
        READ,
        WRITE,
        /** Goes in a frame of its own. */
        ALONE
    }

    public final Request request;
    public final Kind kind;
    public final int items;
    public final int bytes;
    private volatile byte @Nullable [] body;

    private Outgoing(Request request, Kind kind, int items, long bytes) {
        this.request = request;
        this.kind = kind;
        this.items = items;
        this.bytes = (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    /** A request that may share a frame with others of its kind. */
    public static Outgoing of(Request request) {
        if (request instanceof Request.ReadKeys read) {
            long bytes = PART_BYTES;
            for (int i = 0; i < read.queries().size(); i++) {
                bytes += BYTES_PER_KEY + read.queries().get(i).key().length();
            }
            return new Outgoing(request, Kind.READ, read.queries().size(), bytes);
        }
        if (request instanceof Request.ApplyEntries apply) {
            return new Outgoing(request, Kind.WRITE, apply.entries().size(), bytes(apply));
        }
        return alone(request);
    }

    private static long bytes(Request.ApplyEntries apply) {
        long bytes = PART_BYTES;
        for (int i = 0; i < apply.entries().size(); i++) {
            bytes += FrameCodec.encodedSize(apply.entries().get(i));
        }
        return bytes;
    }

    /** A request that shares its frame with no other. */
    public static Outgoing alone(Request request) {
        long bytes = request instanceof Request.ApplyEntries apply ? bytes(apply) : 0;
        return new Outgoing(request, Kind.ALONE, 0, bytes);
    }

    /** Whether the time that it takes tells how much the replica has to do. */
    public boolean isQuick() {
        return kind != Kind.ALONE && bytes <= QUICK_BYTES;
    }

    /**
     * Whether it is so large that on a small heap a replica may have no room for it, for as long as it takes another
     * one.
     */
    public boolean isLarge() {
        return bytes >= LARGE_BYTES;
    }

    /** The frame of this request by itself. */
    public Frame frame(FrameHeader header) {
        if (request instanceof Request.ApplyEntries apply
                && apply.entries().size() == 1
                && apply.entries().get(0).value().length > QUICK_BYTES) {
            return FrameCodec.encodeLarge(header, apply);
        }
        byte[] encoded = body;
        if (encoded == null) {
            encoded = FrameCodec.body(request);
            body = encoded;
        }
        return new Frame(FrameCodec.head(header, request), encoded);
    }
}
