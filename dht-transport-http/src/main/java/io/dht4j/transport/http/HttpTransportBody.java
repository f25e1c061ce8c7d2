package io.dht4j.transport.http;

import io.dht4j.spi.Frame;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects a body of declared length. The array grows with what has arrived, not with what was declared, and has the
 * declared length when all is there. For one thread.
 */
final class HttpTransportBody {

    private static final int FIRST_ALLOCATION = 64 * 1024;
    private static final byte[] NO_BYTES = {};

    private final int declared;
    private byte[] bytes = NO_BYTES;
    private int received;
    private boolean tooLong;

    HttpTransportBody(int declared) {
        this.declared = declared;
    }

    /** Takes the next bytes; what is over the declared length is dropped (HTTP/1.1 does not let it happen). */
    void add(Buffer chunk) {
        int length = Math.min(chunk.length(), declared - received);
        tooLong |= length < chunk.length();
        if (received == 0 && length == declared && length == chunk.length()) {
            bytes = chunk.getBytes();
        } else {
            makeRoom(length, false);
            chunk.getBytes(0, length, bytes, received);
        }
        received += length;
    }

    /** As the other {@code add}. */
    void add(ByteBuffer chunk) {
        int length = Math.min(chunk.remaining(), declared - received);
        tooLong |= length < chunk.remaining();
        makeRoom(length, received == 0 && length == declared);
        chunk.get(bytes, received, length);
        received += length;
    }

    private void makeRoom(int length, boolean all) {
        if (bytes.length < received + length) {
            long twice = all ? length : Math.max(FIRST_ALLOCATION, 2L * (received + length));
            bytes = Arrays.copyOf(bytes, (int) Math.min(declared, twice));
        }
    }

    /** Whether all has come and no more than that. */
    boolean isComplete() {
        return received == declared && !tooLong;
    }

    /** The body, once it is complete. */
    byte[] bytes() {
        return bytes;
    }

    /** A frame as a request's body, which Vert.x keeps a copy of. */
    static Buffer buffer(Frame frame) {
        return Buffer.buffer(frame.length()).appendBytes(frame.head()).appendBytes(frame.body());
    }

    /**
     * Reads a declared length.
     *
     * @return 0 or more; -1 if it is no number of that kind; {@link Integer#MAX_VALUE} if it is larger than that
     */
    static int length(String header) {
        if (header.isEmpty() || header.length() > 18) {
            return header.isEmpty() ? -1 : allDigits(header) ? Integer.MAX_VALUE : -1;
        }
        return allDigits(header) ? (int) Math.min(Integer.MAX_VALUE, Long.parseLong(header)) : -1;
    }

    // A stream would be shorter; it was some 4 % of what a node allocates for a put.
    static boolean allDigits(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }
}
