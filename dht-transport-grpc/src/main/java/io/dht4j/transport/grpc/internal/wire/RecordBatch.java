package io.dht4j.transport.grpc.internal.wire;

import io.dht4j.spi.Frame;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A message under construction: {@link RecordHead records}, and possibly as the last one a part of a large frame, which
 * is not copied. It is filled, passed to gRPC, which reads it at once, and filled again. For one event loop.
 */
public final class RecordBatch extends InputStream implements KnownLength, Drainable {

    private static final Frame NOTHING = Frame.of(new byte[0]);

    private ByteBuffer records = ByteBuffer.allocate(4 * 1024);
    private Frame part = NOTHING;
    private int partFrom;
    private int partLength;

    /** Removes the content, so that the next message can be assembled. */
    public void clear() {
        records.clear();
        part = NOTHING;
        partLength = 0;
    }

    /** Returns whether there is no record yet. */
    public boolean isEmpty() {
        return records.position() == 0;
    }

    /** Returns whether the message is large enough to be sent. */
    public boolean isFull() {
        return records.position() >= RecordHead.FULL_MESSAGE;
    }

    /** Adds a whole request; {@code micros} is its remaining time. */
    public void addRequest(long id, long micros, Frame frame) {
        head(RecordHead.REQUEST, id, frame.length(), 8 + frame.length());
        records.putLong(micros).put(frame.head()).put(frame.body());
    }

    /** Adds the report that a call has ended here. */
    public void addCancel(long id) {
        head(RecordHead.CANCEL, id, 0, 0);
    }

    /** Adds a whole answer of this type: a reply, or the text of a failure or refusal. */
    public void addReply(int type, long id, byte[] frame) {
        head(type, id, frame.length, frame.length);
        records.put(frame);
    }

    /** Adds the first part of a request, as the last record of the message. */
    public void endWithRequest(long id, long micros, Frame frame, int length) {
        head(RecordHead.REQUEST_BEGINS, id, length, 12);
        records.putLong(micros).putInt(frame.length());
        end(frame, 0, length);
    }

    /** Adds the first part of a reply, as the last record of the message. */
    public void endWithReply(long id, byte[] frame, int length) {
        head(RecordHead.REPLY_BEGINS, id, length, 4);
        records.putInt(frame.length);
        end(Frame.of(frame), 0, length);
    }

    /** Adds a further part, as the last record of the message. */
    public void endWithPart(long id, Frame frame, int from, int length) {
        head(RecordHead.PART, id, length, 0);
        end(frame, from, length);
    }

    private void head(int type, long id, int length, int room) {
        int needed = 13 + room;
        if (records.remaining() < needed) {
            byte[] larger =
                    Arrays.copyOf(records.array(), Math.max(2 * records.capacity(), records.position() + needed));
            records = ByteBuffer.wrap(larger).position(records.position());
        }
        records.put((byte) type).putLong(id).putInt(length);
    }

    private void end(Frame frame, int from, int length) {
        part = frame;
        partFrom = from;
        partLength = length;
    }

    @Override
    public int available() {
        return records.position() + partLength;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
        int length = available();
        target.write(records.array(), 0, records.position());
        if (partLength > 0) {
            int ofHead = Math.max(0, Math.min(partLength, part.head().length - partFrom));
            target.write(part.head(), ofHead == 0 ? 0 : partFrom, ofHead);
            target.write(part.body(), partFrom + ofHead - part.head().length, partLength - ofHead);
        }
        clear();
        return length;
    }

    @Override
    public int read() throws IOException {
        throw new IOException("a batch is written as a whole");
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        throw new IOException("a batch is written as a whole");
    }
}
