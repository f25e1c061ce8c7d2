package io.dht4j.transport.tcp.internal.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects a frame that comes in pieces. The array grows with the bytes that have arrived, not with the declared
 * length; it has the declared length when the frame is complete. For one thread.
 */
public final class FrameBody {

    /** How many times as much as has arrived is allocated: a megabyte is copied once, the largest frame twice. */
    private static final long GROWTH = 16;

    private static final byte[] NO_BYTES = {};

    private final int declared;
    private byte[] bytes = NO_BYTES;
    private int received;

    public FrameBody(int declared) {
        this.declared = declared;
    }

    /** Adds the next bytes, all of which come out of the buffer. Throws if they are more than were declared. */
    public void add(ByteBuffer in, int count) throws MalformedException {
        if (count > declared - received) {
            throw new MalformedException("more bytes than the " + declared + " of the frame");
        }
        if (bytes.length < received + count) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(declared, GROWTH * (received + count)));
        }
        in.get(bytes, received, count);
        received += count;
    }

    public boolean isComplete() {
        return received == declared;
    }

    /** Returns the frame, which must be complete. */
    public byte[] bytes() {
        return bytes;
    }
}
