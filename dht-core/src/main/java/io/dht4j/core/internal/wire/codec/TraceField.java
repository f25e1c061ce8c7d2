package io.dht4j.core.internal.wire.codec;

import io.dht4j.TraceContext;
import io.dht4j.core.internal.wire.FrameException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The trace context in the head of a request, or before a part of a batch: a length, then identifiers, flags and state.
 * One that is malformed within its length is ignored: a request is served with any trace.
 */
final class TraceField {

    /** The smallest size: the length alone, for a part without a context. */
    static final int MIN_BYTES = 2;

    private static final int ID_BYTES = 16 + 8 + 1;

    private TraceField() {}

    static int size(@Nullable TraceContext trace) {
        return trace == null ? MIN_BYTES : MIN_BYTES + ID_BYTES + trace.state().length();
    }

    static void write(FrameWriter out, @Nullable TraceContext trace) {
        if (trace == null) {
            out.u16(0);
            return;
        }
        out.u16(ID_BYTES + trace.state().length())
                .i64(trace.traceIdHigh())
                .i64(trace.traceIdLow())
                .i64(trace.spanId())
                .u8(trace.flags())
                .bytes(trace.state().getBytes(StandardCharsets.US_ASCII));
    }

    static @Nullable TraceContext read(FrameReader in) throws FrameException {
        int length = in.u16("the length of a trace context");
        int outer = in.enter(in.present(length, "a trace context"));
        try {
            return length < ID_BYTES || length > ID_BYTES + TraceContext.MAX_STATE
                    ? null
                    : context(in, length - ID_BYTES);
        } finally {
            in.leave(outer);
        }
    }

    private static @Nullable TraceContext context(FrameReader in, int stateLength) throws FrameException {
        long high = in.i64("a trace context");
        long low = in.i64("a trace context");
        long span = in.i64("a trace context");
        int flags = in.u8("a trace context");
        String state =
                stateLength == 0 ? "" : new String(in.bytes(stateLength, "a trace context"), StandardCharsets.US_ASCII);
        return (high | low) == 0 || span == 0 || !TraceContext.isState(state)
                ? null
                : new TraceContext(high, low, span, flags, state);
    }
}
