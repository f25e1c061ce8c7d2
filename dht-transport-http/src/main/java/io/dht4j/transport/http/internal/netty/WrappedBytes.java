package io.dht4j.transport.http.internal.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/** Buffers over bytes that are not copied. */
public final class WrappedBytes {

    private WrappedBytes() {}

    /**
     * Makes a buffer of arrays. They must not change as long as it is used.
     *
     * @param parts its parts, in order
     * @return a buffer over them
     */
    public static Buffer of(byte[]... parts) {
        return BufferInternal.buffer(Unpooled.wrappedBuffer(parts));
    }

    /**
     * Returns the bytes of a received buffer, which the caller no longer uses.
     *
     * @param received as the server or the client has passed it on
     * @return its array if that has no other content; otherwise a new one
     */
    public static byte[] take(Buffer received) {
        ByteBuf bytes = ((BufferInternal) received).getByteBuf();
        boolean isAll = bytes.hasArray() && bytes.arrayOffset() == 0 && bytes.array().length == received.length();
        return isAll ? bytes.array() : received.getBytes();
    }
}
