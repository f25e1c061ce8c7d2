package io.dht4j.transport.http.internal.peer;

import io.dht4j.spi.Frame;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.netty.WrappedBytes;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects a body of declared length. The array is small until the first bytes of the body have arrived. Then it has
 * the declared length, which its owner has counted. For one thread.
 */
public final class PeerBody {

    private static final int FIRST_ALLOCATION = 64 * 1024;
    private static final byte[] NO_BYTES = {};

    private final int declared;
    private byte[] bytes = NO_BYTES;
    private int received;
    private boolean tooLong;

    public PeerBody(int declared) {
        this.declared = declared;
    }

    /**
     * Adds the next bytes, which the caller may no longer use. Bytes beyond the declared length are dropped (HTTP/1.1
     * prevents them).
     */
    public void add(Buffer chunk) {
        int length = Math.min(chunk.length(), declared - received);
        tooLong |= length < chunk.length();
        if (received == 0 && length == declared && length == chunk.length()) {
            bytes = WrappedBytes.take(chunk);
        } else {
            makeRoom(length, false);
            chunk.getBytes(0, length, bytes, received);
        }
        received += length;
    }

    /** Adds bytes as the other {@code add} does, but copies them. */
    public void add(ByteBuffer chunk) {
        int length = Math.min(chunk.remaining(), declared - received);
        tooLong |= length < chunk.remaining();
        makeRoom(length, received == 0 && length == declared);
        chunk.get(bytes, received, length);
        received += length;
    }

    private void makeRoom(int length, boolean all) {
        if (bytes.length < received + length) {
            // In one step: a growing array is held twice, which large frames in a small heap have no room for.
            int needed = all || received + length > FIRST_ALLOCATION ? declared : FIRST_ALLOCATION;
            bytes = Arrays.copyOf(bytes, Math.min(declared, needed));
        }
    }

    /** Returns whether exactly the declared length has come. */
    public boolean isComplete() {
        return received == declared && !tooLong;
    }

    /** Returns the complete body and releases it: the caller decides how long it is needed. */
    public byte[] take() {
        byte[] taken = bytes;
        bytes = NO_BYTES;
        return taken;
    }

    /** Returns a frame as a request's body. Two small parts are copied, which is cheaper than to send two pieces. */
    public static Buffer buffer(Frame frame) {
        if (frame.head().length == 0) {
            return WrappedBytes.of(frame.body());
        }
        return frame.length() <= FIRST_ALLOCATION
                ? Buffer.buffer(frame.length()).appendBytes(frame.head()).appendBytes(frame.body())
                : WrappedBytes.of(frame.head(), frame.body());
    }

    /** Returns a reply as a response's body. */
    public static Buffer buffer(byte[] reply) {
        return WrappedBytes.of(reply);
    }

    /**
     * Reads a declared length.
     *
     * @return 0 or more; -1 if it is no number of that kind; {@link Integer#MAX_VALUE} if it is larger than that
     */
    public static int length(String header) {
        if (header.isEmpty() || header.length() > 18) {
            return header.isEmpty() ? -1 : HttpText.allDigits(header) ? Integer.MAX_VALUE : -1;
        }
        return HttpText.allDigits(header) ? (int) Math.min(Integer.MAX_VALUE, Long.parseLong(header)) : -1;
    }
}
