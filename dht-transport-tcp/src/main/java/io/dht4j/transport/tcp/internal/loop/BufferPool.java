package io.dht4j.transport.tcp.internal.loop;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The direct buffers of one event loop. A connection has some only while the socket does not accept its bytes. For the
 * loop's thread.
 */
public final class BufferPool {

    /** Enough for a few records of TLS, or for the largest record of a frame. */
    public static final int BUFFER_BYTES = 64 * 1024 + 1024;

    private static final int MAX_KEPT = 32;

    private final Deque<ByteBuffer> kept = new ArrayDeque<>(MAX_KEPT);

    /** Returns an empty buffer. */
    public ByteBuffer take() {
        ByteBuffer buffer = kept.poll();
        return buffer == null ? ByteBuffer.allocateDirect(BUFFER_BYTES) : buffer.clear();
    }

    /** Takes a buffer back, which the caller no longer uses. */
    public void give(ByteBuffer buffer) {
        if (kept.size() < MAX_KEPT) {
            kept.push(buffer);
        }
    }
}
