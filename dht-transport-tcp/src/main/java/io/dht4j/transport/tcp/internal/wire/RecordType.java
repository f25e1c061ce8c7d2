package io.dht4j.transport.tcp.internal.wire;

/** The types of records, and the layout of their heads. */
public final class RecordType {

    /** A request; its field is the remaining time in microseconds (8). */
    public static final int REQUEST = 1;

    /** The beginning of a request; its fields are the remaining time (8) and the length of the whole frame (4). */
    public static final int REQUEST_BEGINS = 2;

    /** The next part of a request or reply that has begun. The parts end with the declared length. */
    public static final int PART = 3;

    /** The caller has lost interest, whether the whole request was sent or not. */
    public static final int CANCEL = 4;

    /** The reply. */
    public static final int REPLY = 5;

    /** The beginning of a reply; its field is the length of the whole frame (4). */
    public static final int REPLY_BEGINS = 6;

    /** The handler failed; the bytes are a text. */
    public static final int FAILED = 7;

    /** The handler did not see the request; the bytes are a text. */
    public static final int REFUSED = 8;

    /** The handler did not see the request, because there is no room for it; the bytes are a text. */
    public static final int NO_ROOM = 9;

    /** The caller asks whether the callee is there. */
    public static final int PING = 10;

    /** The answer to a ping. */
    public static final int PONG = 11;

    /** The longest frame that goes in one record. Longer ones go in parts, so that others can go between them. */
    public static final int MAX_WHOLE = 32 * 1024;

    /** The most bytes of a frame in one record. */
    static final int MAX_PART = 64 * 1024;

    /** Length (4), type (1) and number of the call (8). */
    static final int HEAD_BYTES = 13;

    /** The head with the fields of any type. */
    public static final int MAX_HEAD_BYTES = HEAD_BYTES + 12;

    private RecordType() {}

    /** Returns the length of the fields that follow the head; -1 if the type is unknown. */
    static int fieldBytes(int type) {
        return switch (type) {
            case REQUEST -> 8;
            case REQUEST_BEGINS -> 12;
            case REPLY_BEGINS -> 4;
            case PART, CANCEL, REPLY, FAILED, REFUSED, NO_ROOM, PING, PONG -> 0;
            default -> -1;
        };
    }
}
