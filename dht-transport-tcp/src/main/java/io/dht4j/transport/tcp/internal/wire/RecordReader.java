package io.dht4j.transport.tcp.internal.wire;

import io.dht4j.transport.common.calls.FrameAssembler;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Splits received bytes, which arrive in any pieces, into records. The bytes of frames are passed on as they arrive, so
 * that they are copied once. For one thread.
 */
public final class RecordReader {

    private final Receiver receiver;
    private final RecordHead head = new RecordHead();
    private final ByteBuffer partial = ByteBuffer.allocate(RecordType.MAX_HEAD_BYTES);
    /** How many bytes of the present record are to come; -1 between records. */
    private int left = -1;

    private long begun;

    /** Receives records. */
    public interface Receiver {

        /** A record begins; its bytes follow. */
        void begin(RecordHead head) throws IOException;

        /**
         * Takes the next bytes of the present record.
         *
         * @param in has the bytes, and perhaps more; exactly {@code count} must be read from it
         * @param last whether they end the record; so a record without bytes has one call with a count of 0
         */
        void take(RecordHead head, ByteBuffer in, int count, boolean last) throws IOException;

        /** Returns whether the connection has ended. */
        boolean isEnded();
    }

    public RecordReader(Receiver receiver) {
        this.receiver = receiver;
    }

    /**
     * Reads all bytes of a buffer, unless the receiver ends.
     *
     * @throws IOException if they are malformed, or the receiver throws
     */
    public void read(ByteBuffer in) throws IOException {
        while (!receiver.isEnded()) {
            if (left < 0) {
                if (!readHead(in)) {
                    return;
                }
                left = head.length();
                begun++;
                receiver.begin(head);
            }
            int count = Math.min(left, in.remaining());
            if (count == 0 && left > 0) {
                return;
            }
            boolean last = count == left;
            left = last ? -1 : left - count;
            receiver.take(head, in, count, last);
        }
    }

    /** Returns whether the last byte was within a head. */
    public boolean isWithinHead() {
        return partial.position() > 0;
    }

    /** Returns how many records have begun. */
    public long begun() {
        return begun;
    }

    /** Reads up to the end of a head. Returns false if there are too few bytes yet. */
    private boolean readHead(ByteBuffer in) throws MalformedException {
        if (partial.position() == 0 && in.remaining() >= RecordType.MAX_HEAD_BYTES) {
            int at = in.position();
            head.decode(in, at);
            in.position(at + RecordType.HEAD_BYTES + RecordType.fieldBytes(head.type()));
            return true;
        }
        if (!fill(in, RecordType.HEAD_BYTES) || !fill(in, RecordType.HEAD_BYTES + RecordHead.fieldBytes(partial, 0))) {
            return false;
        }
        head.decode(partial, 0);
        partial.clear();
        return true;
    }

    private boolean fill(ByteBuffer in, int needed) {
        while (partial.position() < needed && in.hasRemaining()) {
            partial.put(in.get());
        }
        return partial.position() >= needed;
    }

    /** Adds the next bytes of a frame or text that comes in pieces; throws if they are more than were announced. */
    public static void collect(FrameAssembler frame, ByteBuffer in, int count) throws MalformedException {
        if (!frame.add(in, count)) {
            throw new MalformedException("more bytes than the " + frame.declared() + " of the frame");
        }
    }
}
