package io.dht4j.core.internal.wire.codec;

import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.spi.Entry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes a frame into an array of exactly its size. Not thread-safe. */
final class FrameWriter {

    /** The minimum size of an entry: a one-byte key, a version and the tombstone flag. */
    static final int MIN_ENTRY_BYTES = 2 + 1 + 8 + 1;

    /** An unknown incarnation. */
    static final UUID UNKNOWN = new UUID(0, 0);

    private static final int MAX_TEXT_BYTES = 1000;

    private final byte[] out;
    private int position;

    FrameWriter(int bytes) {
        out = new byte[bytes];
    }

    static int sizeOf(Key key) {
        return 2 + key.length();
    }

    static int sizeOf(Entry entry) {
        return sizeOf(entry.key()) + sizeWithoutKey(entry);
    }

    static int sizeWithoutKey(Entry entry) {
        return 8 + 1 + (entry.isTombstone() ? 0 : 8 + 4 + entry.value().length);
    }

    static int sizeOf(List<Entry> entries) {
        int size = 4;
        for (int i = 0; i < entries.size(); i++) {
            size = Math.addExact(size, sizeOf(entries.get(i)));
        }
        return size;
    }

    static int sizeOf(PartitionSet partitions) {
        return 4 + partitions.encodedSize();
    }

    FrameWriter partitions(PartitionSet partitions) {
        byte[] bytes = partitions.toBytes();
        return i32(bytes.length).bytes(bytes);
    }

    FrameWriter u8(int value) {
        out[position++] = (byte) value;
        return this;
    }

    FrameWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    FrameWriter u16(int value) {
        BigEndian.put16(out, position, value);
        position += Short.BYTES;
        return this;
    }

    FrameWriter i32(int value) {
        BigEndian.put32(out, position, value);
        position += Integer.BYTES;
        return this;
    }

    FrameWriter i64(long value) {
        BigEndian.put64(out, position, value);
        position += Long.BYTES;
        return this;
    }

    FrameWriter bytes(byte[] bytes) {
        System.arraycopy(bytes, 0, out, position, bytes.length);
        position += bytes.length;
        return this;
    }

    FrameWriter key(Key key) {
        return u16(key.length()).bytes(key.unsafeBytes());
    }

    static int sizeOf(NodeId id) {
        return 1 + id.value().length();
    }

    /** Writes a name, which consists of ASCII characters. */
    FrameWriter name(NodeId id) {
        String value = id.value();
        u8(value.length());
        for (int i = 0; i < value.length(); i++) {
            u8(value.charAt(i));
        }
        return this;
    }

    /** Writes a number and an incarnation; zeros if they are unknown. */
    FrameWriter identity(@Nullable NodeIdentity identity) {
        UUID incarnation = identity == null ? UNKNOWN : identity.incarnation();
        return i32(identity == null ? 0 : identity.number())
                .i64(incarnation.getMostSignificantBits())
                .i64(incarnation.getLeastSignificantBits());
    }

    FrameWriter text(byte[] utf8) {
        return u16(utf8.length).bytes(utf8);
    }

    FrameWriter entries(List<Entry> entries) {
        i32(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            key(entry.key()).entry(entry);
        }
        return this;
    }

    FrameWriter entry(Entry entry) {
        entryBeforeValue(entry);
        return entry.isTombstone() ? this : bytes(entry.value());
    }

    /** Writes an entry without its key, which comes before, and its value, which comes last. */
    FrameWriter entryBeforeValue(Entry entry) {
        i64(entry.version().packed()).flag(entry.isTombstone());
        return entry.isTombstone() ? this : i64(entry.expiresAtMillis()).i32(entry.value().length);
    }

    /** Returns a text's bytes, truncated to the length of a message for people. */
    static byte[] utf8(String text) {
        return utf8(text, MAX_TEXT_BYTES);
    }

    /** Returns the bytes of a text, truncated if they are too many. */
    static byte[] utf8(String text, int maxBytes) {
        // The whole text if it fits: a remedy is at its end.
        if (text.length() <= maxBytes) {
            byte[] whole = text.getBytes(StandardCharsets.UTF_8);
            if (whole.length <= maxBytes) {
                return whole;
            }
        }
        return (text.substring(0, maxBytes / 4) + "…").getBytes(StandardCharsets.UTF_8);
    }

    byte[] toByteArray() {
        if (position < out.length) {
            throw new IllegalStateException("frame is " + (out.length - position) + " bytes shorter than computed");
        }
        return out;
    }
}
