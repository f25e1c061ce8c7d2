package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.Frame;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent to several replicas. The body of its frame is encoded once for all of them, and not at all if
 * only the local one is asked or the request shares a frame with others. Safe for use by any number of threads.
 */
public final class OutboundRequest {

    /** An upper bound of the bytes of a part of a batch without its keys or entries, in the request and the reply. */
    private static final int PART_BYTES = 32;

    /** An upper bound of the overhead of a key in a request, and of its answer without the value, in bytes. */
    public static final int BYTES_PER_KEY = 32;

    /** The latency of larger requests says little about the load of a node. */
    private static final int QUICK_BYTES = 64 * 1024;

    private static final int LARGE_BYTES = 1 << 20;

    /** The requests that share frames. */
    public enum Kind {
        /** Shares frames with reads. */
        READ,
        /** Shares frames with writes. */
        WRITE,
        /** Has a frame of its own. */
        ALONE
    }

    public final Request request;
    public final Kind kind;
    public final int items;
    public final int bytes;

    /** The fencing token that replicas compare with their tables; null in a static cluster, and without partitions. */
    @Nullable
    final FencingToken token;

    private volatile byte @Nullable [] body;

    private OutboundRequest(Request request, Kind kind, int items, long bytes, @Nullable FencingToken token) {
        this.request = request;
        this.kind = kind;
        this.items = items;
        this.bytes = (int) Math.min(bytes, Integer.MAX_VALUE);
        this.token = token;
    }

    /**
     * Creates a request that may share a frame with others of its kind.
     *
     * @param request reads or writes; others have a frame of their own
     * @param token the token of its partitions; null in a static cluster
     * @return the request, to be sent any number of times
     */
    public static OutboundRequest of(Request request, @Nullable FencingToken token) {
        if (request instanceof Request.ReadKeys read) {
            long bytes = PART_BYTES;
            for (int i = 0; i < read.queries().size(); i++) {
                bytes += BYTES_PER_KEY + read.queries().get(i).key().length();
            }
            return new OutboundRequest(request, Kind.READ, read.queries().size(), bytes, token);
        }
        if (request instanceof Request.ApplyEntries apply) {
            return new OutboundRequest(request, Kind.WRITE, apply.entries().size(), bytes(apply), token);
        }
        if (request instanceof RegisterRequest.Accept accept) {
            return new OutboundRequest(
                    request, Kind.WRITE, 1, (long) PART_BYTES + FrameCodec.encodedSize(accept.entry()), token);
        }
        if (request instanceof RegisterRequest.Prepare || request instanceof RegisterRequest.Read) {
            long bytes = (long) PART_BYTES
                    + BYTES_PER_KEY
                    + ((RegisterRequest) request).key().length();
            return new OutboundRequest(request, Kind.READ, 1, bytes, token);
        }
        return alone(request, token);
    }

    private static long bytes(Request.ApplyEntries apply) {
        long bytes = PART_BYTES;
        for (int i = 0; i < apply.entries().size(); i++) {
            bytes += FrameCodec.encodedSize(apply.entries().get(i));
        }
        return bytes;
    }

    /**
     * Creates a request that shares its frame with no other, and concerns no partitions.
     *
     * @param request any request
     * @return the request, to be sent any number of times
     */
    public static OutboundRequest alone(Request request) {
        return alone(request, null);
    }

    /**
     * Creates a request that shares its frame with no other.
     *
     * @param request any request
     * @param token the token of its partitions; null in a static cluster
     * @return the request, to be sent any number of times
     */
    public static OutboundRequest alone(Request request, @Nullable FencingToken token) {
        long bytes = request instanceof Request.ApplyEntries apply ? bytes(apply) : 0;
        return new OutboundRequest(request, Kind.ALONE, 0, bytes, token);
    }

    /**
     * Returns the fencing token, which replicas compare with their tables.
     *
     * @return null in a static cluster, and for requests without partitions
     */
    @Nullable
    public FencingToken token() {
        return token;
    }

    /**
     * Returns the row version of its token.
     *
     * @return 0 if it has none
     */
    public long rowVersion() {
        return token == null ? ClusterView.NO_VERSION : token.rowVersion();
    }

    /**
     * Returns whether its latency shows the load of the replica.
     *
     * @return false for large requests and those with a frame of their own
     */
    public boolean isQuick() {
        return kind != Kind.ALONE && bytes <= QUICK_BYTES;
    }

    /**
     * Returns whether it is so large that a replica with a small heap may have no room for it while it holds another
     * one.
     *
     * @return true from 1 MiB on
     */
    public boolean isLarge() {
        return bytes >= LARGE_BYTES;
    }

    /**
     * Encodes a frame of this request alone.
     *
     * @param header the header of the frame
     * @return a frame whose body is shared with the other frames of this request
     */
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
