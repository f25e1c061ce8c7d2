package io.dht4j.transport.tcp.internal.wire;

import java.nio.ByteBuffer;

/** The head of a record that is being read. It is filled again for each record. For one thread. */
public final class RecordHead {

    private int type;
    private long id;
    private int length;
    private long micros;
    private int total;

    /** Reads a whole head at a position of a buffer, which stays as it is; checks all of its lengths. */
    void decode(ByteBuffer in, int at) throws MalformedException {
        int fieldBytes = fieldBytes(in, at);
        type = in.get(at + Integer.BYTES);
        id = in.getLong(at + Integer.BYTES + 1);
        length = in.getInt(at) - fieldBytes;
        int fields = at + RecordType.HEAD_BYTES;
        total = length;
        micros = 0;
        if (type == RecordType.REQUEST || type == RecordType.REQUEST_BEGINS) {
            micros = in.getLong(fields);
        }
        if (type == RecordType.REQUEST_BEGINS || type == RecordType.REPLY_BEGINS) {
            total = in.getInt(fields + fieldBytes - Integer.BYTES);
        }
        if (micros < 0) {
            throw new MalformedException("a remaining time of " + micros + " microseconds");
        }
        if (total < length) {
            throw new MalformedException("a frame of " + total + " bytes that begins with " + length);
        }
        if (type == RecordType.PART && length == 0) {
            throw new MalformedException("a part of no bytes");
        }
    }

    /** Returns the length of the fields that follow a head at a position; checks type and length. */
    static int fieldBytes(ByteBuffer in, int at) throws MalformedException {
        int announced = in.getInt(at);
        int type = in.get(at + Integer.BYTES);
        int bytes = RecordType.fieldBytes(type);
        if (bytes < 0) {
            throw new MalformedException("a record of unknown type " + type);
        }
        if (announced < bytes || announced - bytes > RecordType.MAX_PART) {
            throw new MalformedException("a record of " + announced + " bytes");
        }
        return bytes;
    }

    /** Returns one of {@link RecordType}. */
    public int type() {
        return type;
    }

    /** Returns the caller's number of the call, any value. */
    public long id() {
        return id;
    }

    /** Returns how many bytes of the frame, or of a text, follow in this record: 0 to 64 KiB. */
    public int length() {
        return length;
    }

    /** Returns the remaining time of a request: 0 or more. */
    public long micros() {
        return micros;
    }

    /** Returns the declared length of the whole frame: {@link #length} or more. */
    public int total() {
        return total;
    }
}
