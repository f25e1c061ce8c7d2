package io.dht4j.transport.http.internal.common;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * Splits bytes that arrive in pieces into lines. It holds only the line that is not yet complete. Belongs to one event
 * loop.
 *
 * <p>Vert.x's {@code RecordParser} bounds a line only after it has stored the piece, does not bound a line that one
 * piece completes, copies every line, and passes on a last line without an end only from a stream of its own.
 */
public final class NdjsonSplitter {

    private static final byte[] NOTHING = {};

    private final int maxLineBytes;
    private final Lines lines;
    private byte[] begun = NOTHING;
    private int size;

    /** A receiver of lines. */
    public interface Lines {

        /** Takes the next line, without its end; the array may be longer, and is reused afterwards. */
        void line(byte[] bytes, int from, int to);

        /** Returns the exception for a line that is too long. */
        RuntimeException tooLong();
    }

    /**
     * Creates a splitter for a receiver.
     *
     * @param maxLineBytes the longest line
     */
    public NdjsonSplitter(int maxLineBytes, Lines lines) {
        this.maxLineBytes = maxLineBytes;
        this.lines = lines;
    }

    /** Takes the next piece, and passes on the lines that end in it. */
    public void add(Buffer piece) {
        byte[] bytes = piece.getBytes();
        int from = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                complete(bytes, from, at);
                from = at + 1;
            }
        }
        keep(bytes, from, bytes.length);
    }

    /** Passes on a last line that has no end of its own, if there is one. */
    public void end() {
        if (size > 0) {
            complete(NOTHING, 0, 0);
        }
    }

    /** Returns whether a line has begun that has not ended. */
    public boolean isInLine() {
        return size > 0;
    }

    /** Drops the line that has begun. */
    public void clear() {
        begun = NOTHING;
        size = 0;
    }

    private void complete(byte[] bytes, int from, int to) {
        if (size == 0) {
            if (to - from > maxLineBytes) {
                throw lines.tooLong();
            }
            lines.line(bytes, from, to);
            return;
        }
        keep(bytes, from, to);
        int length = size;
        size = 0;
        lines.line(begun, 0, length);
        if (begun.length > 64 * 1024) {
            begun = NOTHING;
        }
    }

    private void keep(byte[] bytes, int from, int to) {
        int length = to - from;
        if (length > maxLineBytes - size) {
            throw lines.tooLong();
        }
        if (begun.length - size < length) {
            long doubled = Math.min(maxLineBytes, 2L * begun.length);
            begun = Arrays.copyOf(begun, (int) Math.max(size + length, doubled));
        }
        System.arraycopy(bytes, from, begun, size, length);
        size += length;
    }
}
