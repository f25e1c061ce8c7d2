package io.dht4j.spi;

import java.util.Arrays;

/**
 * A request to a node, in two consecutive parts. The head is specific to the recipient. The body may be shared by all
 * recipients of the same request, which are then served by one encoding without copies. The receiver gets both parts in
 * one array. The arrays must not be changed after the frame is created.
 *
 * @param head the first bytes
 * @param body the remaining bytes
 */
@SuppressWarnings("ArrayRecordComponent") // frames are never compared
public record Frame(byte[] head, byte[] body) {

    private static final byte[] NO_BYTES = {};

    /**
     * Checks the size.
     *
     * @throws IllegalArgumentException if both parts together have more bytes than an array can have
     */
    public Frame {
        if ((long) head.length + body.length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "a frame has at most " + Integer.MAX_VALUE + " bytes, not " + ((long) head.length + body.length));
        }
    }

    /**
     * Creates a frame of one part.
     *
     * @param bytes the whole frame
     * @return a frame without a head
     */
    public static Frame of(byte[] bytes) {
        return new Frame(NO_BYTES, bytes);
    }

    /**
     * Returns how many bytes the receiver gets.
     *
     * @return 0 or more
     */
    public int length() {
        return head.length + body.length;
    }

    /**
     * Returns both parts in one array, as the receiver gets them.
     *
     * @return a new array, or the body itself if there is no head
     */
    public byte[] toBytes() {
        if (head.length == 0) {
            return body;
        }
        byte[] all = Arrays.copyOf(head, length());
        System.arraycopy(body, 0, all, head.length, body.length);
        return all;
    }

    /**
     * Copies a range of the frame, which may span both parts.
     *
     * @param from the first byte, 0 or more
     * @param target the destination
     * @param at the index of the first copied byte in the destination
     * @param length the number of bytes, at most those from {@code from} to the end
     * @throws IndexOutOfBoundsException if the range is not within the frame or the target
     */
    public void copy(int from, byte[] target, int at, int length) {
        int ofHead = Math.max(0, Math.min(length, head.length - from));
        if (ofHead > 0) {
            System.arraycopy(head, from, target, at, ofHead);
        }
        System.arraycopy(body, from + ofHead - head.length, target, at + ofHead, length - ofHead);
    }
}
