package io.dht4j.transport.tcp.internal.wire;

import io.dht4j.spi.Frame;
import java.nio.ByteBuffer;

/**
 * Writes records: the number of following bytes (4), the type (1), the number of the call (8), the fields of the type
 * ({@link RecordType}), and bytes of the frame or a text. All numbers are big-endian. Each method writes the whole
 * record or, if it does not fit into the buffer, no byte.
 */
public final class RecordWriter {

    /** Less of a large frame is not worth a record. */
    private static final int LEAST_PART = 2 * 1024;

    private RecordWriter() {}

    /** Returns whether a frame goes in one record. */
    public static boolean isWhole(int frameBytes) {
        return frameBytes <= RecordType.MAX_WHOLE;
    }

    /** Writes a request that goes in one record. Returns false if the buffer lacks room. */
    public static boolean request(ByteBuffer out, long id, long micros, Frame frame) {
        int length = Long.BYTES + frame.length();
        if (out.remaining() < RecordType.HEAD_BYTES + length) {
            return false;
        }
        head(out, RecordType.REQUEST, id, length).putLong(micros);
        out.put(frame.head()).put(frame.body());
        return true;
    }

    /** Writes a record without fields: a reply, a refusal, a cancellation. Returns false if the buffer lacks room. */
    public static boolean record(ByteBuffer out, int type, long id, byte[] bytes) {
        if (out.remaining() < RecordType.HEAD_BYTES + bytes.length) {
            return false;
        }
        head(out, type, id, bytes.length).put(bytes);
        return true;
    }

    /** Returns how much of a large frame goes into the buffer now; 0 if that is not worth a record. */
    public static int part(ByteBuffer out, int frameBytes, int from) {
        int left = Math.min(frameBytes - from, RecordType.MAX_PART);
        int room = out.remaining() - RecordType.MAX_HEAD_BYTES;
        return room >= Math.min(left, LEAST_PART) ? Math.min(left, room) : 0;
    }

    /** Writes the first part of a request, of a length that {@link #part} has returned. */
    public static void requestBegins(ByteBuffer out, long id, long micros, Frame frame, int length) {
        head(out, RecordType.REQUEST_BEGINS, id, 12 + length).putLong(micros).putInt(frame.length());
        put(out, frame, 0, length);
    }

    /** Writes the first part of a reply, of a length that {@link #part} has returned. */
    public static void replyBegins(ByteBuffer out, long id, byte[] frame, int length) {
        head(out, RecordType.REPLY_BEGINS, id, 4 + length).putInt(frame.length).put(frame, 0, length);
    }

    /** Writes a further part of a request, of a length that {@link #part} has returned. */
    public static void requestPart(ByteBuffer out, long id, Frame frame, int from, int length) {
        head(out, RecordType.PART, id, length);
        put(out, frame, from, length);
    }

    /** Writes a further part of a reply, of a length that {@link #part} has returned. */
    public static void replyPart(ByteBuffer out, long id, byte[] frame, int from, int length) {
        head(out, RecordType.PART, id, length).put(frame, from, length);
    }

    private static ByteBuffer head(ByteBuffer out, int type, long id, int length) {
        return out.putInt(length).put((byte) type).putLong(id);
    }

    private static void put(ByteBuffer out, Frame frame, int from, int length) {
        int headBytes = frame.head().length;
        int ofHead = Math.max(0, Math.min(length, headBytes - from));
        if (ofHead > 0) {
            out.put(frame.head(), from, ofHead);
        }
        if (length > ofHead) {
            out.put(frame.body(), from + ofHead - headBytes, length - ofHead);
        }
    }
}
