package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Looks into frames of protocol 2, and spoils them. */
final class FrameBytes {

    private static final int FAILED = 0xFF;
    /** Version, type, flags, and the length of the sender's name. */
    private static final int SENDER = 4;

    private static final int BYTES_BEHIND_NAMES = 4 * 8;

    private FrameBytes() {}

    /** How long the head of a well-formed frame is. */
    static int headOf(byte[] frame) {
        int recipient = recipientOf(frame);
        return recipient + frame[recipient - 1] + BYTES_BEHIND_NAMES;
    }

    private static int recipientOf(byte[] frame) {
        return SENDER + frame[SENDER - 1] + 1;
    }

    /** The same frame for another recipient. */
    static byte[] to(String recipient, byte[] frame) {
        int from = recipientOf(frame);
        int rest = from + frame[from - 1];
        byte[] name = recipient.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer changed = ByteBuffer.allocate(frame.length - (rest - from) + name.length);
        changed.put(frame, 0, from - 1).put((byte) name.length).put(name);
        changed.put(Arrays.copyOfRange(frame, rest, frame.length));
        return changed.array();
    }

    /** Why a request was refused, as the reply says. */
    static ErrorCode errorOf(byte[] reply) {
        assertThat(reply[1] & 0xFF).as("failed").isEqualTo(FAILED);
        return ErrorCode.byNumber(ByteBuffer.wrap(reply).getShort(headOf(reply)))
                .orElseThrow();
    }
}
