package io.dht4j.transport.common.calls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects a frame that arrives in pieces. The array grows with the bytes that have arrived, not with the declared
 * length; it has the declared length when the frame is complete. For one thread.
 */
public final class FrameAssembler {

    /** How many times as much as has arrived is allocated: a megabyte is copied once, the largest frame twice. */
    private static final long GROWTH = 16;

    private static final byte[] NO_BYTES = {};

    private final int declared;
    private byte[] bytes = NO_BYTES;
    private int received;

    /**
     * Creates an assembler that has no bytes yet.
     *
     * @param declared the length of the frame in bytes, 0 or more
     */
    public FrameAssembler(int declared) {
        this.declared = declared;
    }

    /**
     * Returns the declared length.
     *
     * @return the length in bytes
     */
    public int declared() {
        return declared;
    }

    /**
     * Adds the next bytes. After an {@link OutOfMemoryError} none of them has been read.
     *
     * @param in contains them
     * @param count how many they are
     * @return false if they are more than were declared; then none is read
     */
    public boolean add(ByteBuffer in, int count) {
        if (!makeRoom(count)) {
            return false;
        }
        in.get(bytes, received, count);
        received += count;
        return true;
    }

    /**
     * Adds the next bytes as the other {@code add} does.
     *
     * @param in contains them
     * @param count how many they are
     * @return false if they are more than were declared; then none is read
     * @throws IOException if the stream fails
     */
    public boolean add(InputStream in, int count) throws IOException {
        if (!makeRoom(count)) {
            return false;
        }
        in.readNBytes(bytes, received, count);
        received += count;
        return true;
    }

    private boolean makeRoom(int count) {
        if (count > declared - received) {
            return false;
        }
        if (bytes.length < received + count) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(declared, GROWTH * (received + count)));
        }
        return true;
    }

    /**
     * Returns whether all bytes have come.
     *
     * @return true if the frame is complete
     */
    public boolean isComplete() {
        return received == declared;
    }

    /**
     * Returns the frame, which must be complete.
     *
     * @return the assembler's own array
     */
    public byte[] bytes() {
        return bytes;
    }
}
