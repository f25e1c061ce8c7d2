package io.dht4j.transport.grpc.internal.wire;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Collects a frame that comes in parts. The array grows with the bytes that have arrived, not with the declared length;
 * it has the declared length when the frame is complete. For one thread.
 */
public final class FrameAssembler {

    private final int declared;
    private byte[] bytes = {};
    private int received;

    /** Creates an assembler of a frame of this declared length. */
    public FrameAssembler(int declared) {
        this.declared = declared;
    }

    /** Adds the next part. Returns false if it is longer than the rest of the frame. */
    public boolean add(InputStream in, int length) throws IOException {
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

    /** Returns whether every part of the frame has come. */
    public boolean isComplete() {
        return received == declared;
    }

    /** Returns the frame; it must be complete. */
    public byte[] bytes() {
        return bytes;
    }
}
