package io.dht4j.core.internal.wire.codec;

import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec.Decoded;
import java.util.Optional;

/**
 * Reads the reply to a batch part by part. A malformed part leaves the others readable, and a part that is no longer
 * needed is skipped without being decoded. Not thread-safe.
 */
public final class BatchReader {

    private final Decoded<Optional<Reply>> frame;
    private final FrameReader in;
    /** After an invalid length the start of the next part is unknown. */
    private boolean broken;

    BatchReader(Decoded<Optional<Reply>> frame, FrameReader in) {
        this.frame = frame;
        this.in = in;
    }

    /**
     * Returns the header of the frame.
     *
     * @return the header
     */
    public FrameHeader header() {
        return frame.header();
    }

    /**
     * Returns the refusal of the whole batch.
     *
     * @return present if the batch was refused, so that there are no parts
     */
    public Optional<Reply> refusal() {
        return frame.message();
    }

    /**
     * Reads the next part's reply.
     *
     * @param request the request of that part
     * @return its reply, of the kind that the request asks for or a failure
     * @throws FrameException if the part is malformed; the next one is readable if its length was valid
     */
    public Reply next(Request request) throws FrameException {
        int type = type();
        int outer = enter();
        try {
            if (type == FrameTypes.OTHER_SETTINGS) {
                throw in.malformed("settings in a part of a batch, which refuse a frame as a whole");
            }
            Reply reply = ReplyBody.read(in, type, request);
            in.end();
            return reply;
        } finally {
            in.leave(outer);
        }
    }

    /**
     * Skips the next part.
     *
     * @throws FrameException if its length is invalid
     */
    public void skip() throws FrameException {
        type();
        in.leave(enter());
    }

    private int type() throws FrameException {
        if (broken) {
            throw in.malformed("a part stands behind one of a wrong length");
        }
        broken = true;
        return in.u8("a part's type");
    }

    /** Enters the part whose type was read; from then on its end is known. */
    private int enter() throws FrameException {
        int outer = in.enter(in.count(1, "bytes of a part"));
        broken = false;
        return outer;
    }

    /**
     * Checks that no bytes follow the last part.
     *
     * @throws FrameException if some do
     */
    public void end() throws FrameException {
        in.end();
    }
}
