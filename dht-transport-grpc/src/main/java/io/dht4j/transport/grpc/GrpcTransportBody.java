package io.dht4j.transport.grpc;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Collects a frame that comes in parts. The array grows with what has arrived, not with what was declared, and has the
 * declared length when all is there. For one thread.
 */
final class GrpcTransportBody {

    private final int declared;
    private byte[] bytes = {};
    private int received;

    GrpcTransportBody(int declared) {
        this.declared = declared;
    }

    /** Takes the next part. False if it is longer than what is missing. */
    boolean add(InputStream in, int length) throws IOException {
        if (length > declared - received) {
            return false;
        }
        if (bytes.length < received + length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(declared, 4L * (received + length)));
        }
        in.readNBytes(bytes, received, length);
        received += length;
        return true;
    }

    boolean isComplete() {
        return received == declared;
    }

    /** The frame, once it is complete. */
    byte[] bytes() {
        return bytes;
    }
}
