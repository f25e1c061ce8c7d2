package io.dht4j.core.internal.wire.codec;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.spi.Entry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads untrusted bytes: a length is accepted only if as many bytes are present. Not thread-safe. */
final class FrameReader {

    private final byte[] in;
    private int position;
    private int limit;
    /** Whether the frame has a row version in its head, or before each part. */
    private boolean hasRowVersions;
    /** Whether the frame has a trace context in its head, or before each part. */
    private boolean hasTraces;

    /** The number of keys or entries that may still follow, in all lists together. */
    private int itemsLeft = FrameCodec.MAX_ITEMS;

    FrameReader(byte[] frame) {
        in = frame;
        limit = frame.length;
    }

    void hasRowVersions(boolean announced) {
        hasRowVersions = announced;
    }

    boolean hasRowVersions() {
        return hasRowVersions;
    }

    void hasTraces(boolean announced) {
        hasTraces = announced;
    }

    boolean hasTraces() {
        return hasTraces;
    }

    /** Returns a length if as many bytes are present. */
    int present(int length, String what) throws FrameException {
        need(length, what);
        return length;
    }

    /** Limits reading to a number of bytes, which are known to be present. Returns the previous limit. */
    int enter(int length) {
        int outer = limit;
        limit = position + length;
        return outer;
    }

    /** Continues after the bytes that were entered, read or not. */
    void leave(int outer) {
        position = limit;
        limit = outer;
    }

    private void need(int bytes, String what) throws FrameException {
        if (remaining() < bytes) {
            throw malformed("ends within " + what + " at byte " + position + " of " + limit);
        }
    }

    private int remaining() {
        return limit - position;
    }

    FrameException malformed(String what) {
        return new FrameException(ErrorCode.MALFORMED_FRAME, "malformed frame: " + what);
    }

    int u8(String what) throws FrameException {
        need(1, what);
        return in[position++] & 0xFF;
    }

    boolean flag(String what) throws FrameException {
        int value = u8(what);
        if (value > 1) {
            throw malformed(what + " must be 0 or 1, not " + value);
        }
        return value == 1;
    }

    int u16(String what) throws FrameException {
        need(2, what);
        int value = BigEndian.i16(in, position) & 0xFFFF;
        position += Short.BYTES;
        return value;
    }

    /** Reads a non-negative number. */
    int size(String what) throws FrameException {
        int value = i32(what);
        if (value < 0) {
            throw malformed(what + " must not be negative, is " + value);
        }
        return value;
    }

    int i32(String what) throws FrameException {
        need(4, what);
        int value = BigEndian.i32(in, position);
        position += Integer.BYTES;
        return value;
    }

    long i64(String what) throws FrameException {
        need(8, what);
        long value = BigEndian.i64(in, position);
        position += Long.BYTES;
        return value;
    }

    /** Reads a number of items, each of at least some bytes, so that a list of that size can be created. */
    int count(int minBytesEach, String what) throws FrameException {
        int count = size(what);
        if (count > remaining() / minBytesEach) {
            throw malformed(count + " " + what + " cannot stand in " + remaining() + " bytes");
        }
        return count;
    }

    /** Reads a number of keys or entries. */
    int items(int minBytesEach, String what) throws FrameException {
        int count = count(minBytesEach, what);
        if (count > itemsLeft) {
            throw malformed("at most " + FrameCodec.MAX_ITEMS + " " + what + ", not " + count
                    + (itemsLeft < FrameCodec.MAX_ITEMS ? " more" : ""));
        }
        itemsLeft -= count;
        return count;
    }

    byte[] bytes(int length, String what) throws FrameException {
        need(length, what);
        byte[] bytes = Arrays.copyOfRange(in, position, position + length);
        position += length;
        return bytes;
    }

    Key key() throws FrameException {
        int length = u16("a key's length");
        if (length < Key.MIN_LENGTH || length > Key.MAX_LENGTH) {
            throw malformed("a key has " + Key.MIN_LENGTH + " to " + Key.MAX_LENGTH + " bytes, not " + length);
        }
        need(length, "a key");
        Key key = Key.copyOfRange(in, position, position + length);
        position += length;
        return key;
    }

    /** Reads the name of a node; empty if it has no characters. */
    Optional<NodeId> name(NodeIds known, String what) throws FrameException {
        int length = u8(what);
        need(length, what);
        if (length == 0) {
            return Optional.empty();
        }
        try {
            NodeId id = known.find(in, position, length);
            position += length;
            return Optional.of(id);
        } catch (IllegalArgumentException e) {
            throw malformed(what + ": " + e.getMessage());
        }
    }

    /** Reads a number and an incarnation; null if they are zero, which means unknown. */
    @Nullable
    NodeIdentity identity(NodeIds known, String what) throws FrameException {
        int number = size(what);
        long most = i64("an incarnation");
        long least = i64("an incarnation");
        if (most == 0 && least == 0) {
            if (number != 0) {
                throw malformed(what + " is " + number + " without an incarnation");
            }
            return null;
        }
        return known.identity(number, most, least);
    }

    String text() throws FrameException {
        return new String(bytes(u16("a text's length"), "a text"), StandardCharsets.UTF_8);
    }

    Version version() throws FrameException {
        return new Version(i64("a version"));
    }

    /**
     * Reads a set of partitions; refuses more bytes than the maximum number of partitions needs, without copying them.
     */
    PartitionSet partitions() throws FrameException {
        int bytes = count(1, "partition bytes");
        if (bytes > PartitionSet.MAX_BYTES) {
            throw malformed("too many partitions");
        }
        return PartitionSet.parse(bytes(bytes, "partitions"));
    }

    List<Entry> entries() throws FrameException {
        int count = items(FrameWriter.MIN_ENTRY_BYTES, "entries");
        if (count == 1) {
            return List.of(entry(key()));
        }
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(entry(key()));
        }
        return entries;
    }

    Entry entry(Key key) throws FrameException {
        Version version = version();
        if (flag("the tombstone flag")) {
            return Entry.tombstone(key, version);
        }
        long expiry = i64("an expiry");
        if (expiry < 0) {
            throw malformed("an expiry must not be negative, is " + expiry);
        }
        return Entry.value(key, version, bytes(size("a value's length"), "a value"), expiry);
    }

    boolean isAtEnd() {
        return position >= limit;
    }

    void end() throws FrameException {
        if (position < limit) {
            throw malformed(remaining() + " bytes behind its end");
        }
    }
}
