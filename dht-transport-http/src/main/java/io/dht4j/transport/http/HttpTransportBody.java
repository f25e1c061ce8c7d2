package io.dht4j.transport.http;

import io.vertx.core.buffer.Buffer;
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

    HttpTransportBody(int declared) {
        this.declared = declared;
    }

    /** Takes the next bytes; what is over the declared length is dropped (HTTP does not let it happen). */
    void add(Buffer chunk) {
        int length = Math.min(chunk.length(), declared - received);
        if (received == 0 && length == declared && length == chunk.length()) {
            bytes = chunk.getBytes();
        } else {
            if (bytes.length < received + length) {
                long twice = Math.max(FIRST_ALLOCATION, 2L * (received + length));
                bytes = Arrays.copyOf(bytes, (int) Math.min(declared, twice));
            }
            chunk.getBytes(0, length, bytes, received);
        }
        received += length;
    }

    boolean isComplete() {
        return received == declared;
    }

    /** The body, once it is complete. */
    byte[] bytes() {
        return bytes;
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

    private static boolean allDigits(String text) {
        return text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
