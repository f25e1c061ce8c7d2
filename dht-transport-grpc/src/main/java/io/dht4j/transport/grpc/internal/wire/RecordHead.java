package io.dht4j.transport.grpc.internal.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A reader for the heads of records. A message on a stream is a sequence of records. A record begins with its type (1
 * byte), the caller's number of the call (8), and the number of following bytes of the frame (4). The fields of the
 * type and the bytes of the frame follow. All numbers are big-endian. For one thread.
 */
public final class RecordHead {

    /** A request; its field is the remaining time in microseconds (8). */
    public static final int REQUEST = 1;

    /** The beginning of a request; its fields are the remaining time (8) and the length of the whole frame (4). */
    public static final int REQUEST_BEGINS = 2;

    /** The caller has cancelled, whether the whole request was sent or not. */
    public static final int CANCEL = 3;

    /** The reply. */
    public static final int REPLY = 4;

    /** The beginning of a reply; its field is the length of the whole frame (4). */
    public static final int REPLY_BEGINS = 5;

    /** The next part of a request or reply that has begun. The parts end with the declared length. */
    public static final int PART = 6;

    /** The handler failed; the bytes are a text. */
    public static final int FAILED = 7;

    /** The handler did not see the request; the bytes are a text. */
    public static final int REFUSED = 8;

    /** The handler did not see the request, because there is no room for it; the bytes are a text. */
    public static final int NO_ROOM = 9;

    /** The size of the parts of longer frames, so that other frames can go between them. */
    public static final int MAX_PART = 64 * 1024;

    /** The length at which a message is sent. No message is longer than this, a whole frame, a part and three heads. */
    public static final int FULL_MESSAGE = 64 * 1024;

    /** The length beyond which a message is invalid. */
    public static final int MAX_MESSAGE = FULL_MESSAGE + 2 * MAX_PART + 1024;

    private static final int HEAD = 1 + 8 + 4;

    private final byte[] bytes = new byte[HEAD + 12];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes);

    private int type;
    private long id;
    private int length;
    private long micros;
    private int total;

    /**
     * Reads the head of the next record; the stream must have one.
     *
     * @throws IOException if it is malformed; the message says how
     */
    public void read(InputStream in) throws IOException {
        take(in, HEAD);
        type = buffer.get(0);
        id = buffer.getLong(1);
        length = buffer.getInt(9);
        switch (type) {
            case REQUEST -> {
                take(in, 8);
                micros = buffer.getLong(0);
                total = length;
            }
            case REQUEST_BEGINS -> {
                take(in, 12);
                micros = buffer.getLong(0);
                total = buffer.getInt(8);
            }
            case REPLY_BEGINS -> {
                take(in, 4);
                total = buffer.getInt(0);
            }
            case CANCEL, REPLY, PART, FAILED, REFUSED, NO_ROOM -> total = length;
            default -> throw new IOException("record of unknown type " + type);
        }
        if (length < 0 || length > in.available()) {
            throw new IOException("record of " + length + " bytes in what has " + in.available());
        }
        if (total < length) {
            throw new IOException("frame of " + total + " bytes that begins with " + length);
        }
    }

    private void take(InputStream in, int count) throws IOException {
        if (in.readNBytes(bytes, 0, count) < count) {
            throw new EOFException("message ends within the head of a record");
        }
    }

    /** Returns the type of the record: one of the constants of this class. */
    public int type() {
        return type;
    }

    /** Returns the caller's number of the call. */
    public long id() {
        return id;
    }

    /** Returns the number of bytes that follow; the message contains them. */
    public int length() {
        return length;
    }

    /** Returns the remaining time of a request: any number. */
    public long micros() {
        return micros;
    }

    /** Returns the declared length of the whole frame: at least {@link #length}. */
    public int total() {
        return total;
    }
}
