package io.dht4j.spi;

import java.util.Arrays;

/**
 * A request to a node, in two parts that travel one behind the other: the head is for this node alone, the body may be
 * shared by all nodes that are asked the same, so that it is encoded once and copied for none of them. The receiver
 * gets both parts in one array. Neither part may be changed once the frame is made.
 *
 * @param head the first bytes
 * @param body all that follows
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
     * A frame of one part.
     *
     * @param bytes all of it
     * @return a frame without a head
     */
    public static Frame of(byte[] bytes) {
        return new Frame(NO_BYTES, bytes);
    }

    /**
     * How many bytes the receiver gets.
     *
     * @return 0 or more
     */
    public int length() {
        return head.length + body.length;
    }

    /**
     * Both parts in one array, as the receiver gets them.
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
     * Copies some bytes of both parts taken together.
     *
     * @param from the first byte, 0 or more
     * @param target takes the bytes
     * @param at where the first one goes
     * @param length how many, as many as there are from there on or fewer
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
