package io.dht4j.transport.http.internal;

import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/** Buffers over bytes that are not copied. */
public final class WrappedBytes {

    private WrappedBytes() {}

    /**
     * Makes a buffer of arrays. They must not change as long as it is used.
     *
     * @param parts what it consists of, in order
     * @return a buffer over them
     */
    public static Buffer of(byte[]... parts) {
        return BufferInternal.buffer(Unpooled.wrappedBuffer(parts));
    }
}
