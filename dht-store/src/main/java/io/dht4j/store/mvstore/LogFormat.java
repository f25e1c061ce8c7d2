package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * How the log stands on the disk. All numbers are big-endian.
 *
 * <pre>
 * segment  magic (8) "dht4jlog", format version (4), segment number (8), CRC32C of these (4), then frames
 * frame    magic (4), length of the payload (4), CRC32C of the payload (4), CRC32C of these (4), payload, end mark (4)
 * payload  records
 * record   length of the key (2), kind (1), version (8), expiry (8), length of the value (4), key, value
 * </pre>
 *
 * A frame is what one group commit writes. Its header has its own checksum, so that a length is known to be right before
 * it is used: a frame whose header is right and that is longer than its file was cut off, and one whose header is wrong
 * was damaged. The end mark tells a frame whose last blocks never reached the disk from one that was changed later.
 */
final class LogFormat {

    static final int VERSION = 1;
    static final int SEGMENT_HEADER_BYTES = 24;
    static final int FRAME_HEADER_BYTES = 16;
    static final int FRAME_TRAILER_BYTES = 4;
    static final int END_MARK = 0x454e4421;

    /** The largest value that fits into a frame with room to spare: payload lengths are ints. */
    static final int MAX_VALUE_BYTES = 1 << 30;

    private static final long SEGMENT_MAGIC = 0x64687434_6a6c6f67L;
    private static final int FRAME_MAGIC = 0x64344672;
    private static final int RECORD_FIXED_BYTES = 2 + 1 + 8 + 8 + 4;
    private static final byte PLAIN = 0;
    private static final byte TOMBSTONE = 1;

    private LogFormat() {}

    /** A description of what is wrong with bytes that were read. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String what) {
            super(what, null, false, false);
        }
    }

    static byte[] segmentHeader(long id) {
        ByteBuffer header = ByteBuffer.allocate(SEGMENT_HEADER_BYTES);
        header.putLong(SEGMENT_MAGIC).putInt(VERSION).putLong(id);
        header.putInt(crc(header.array(), 0, SEGMENT_HEADER_BYTES - Integer.BYTES));
        return header.array();
    }

    static void checkSegmentHeader(byte[] bytes, long id) throws Malformed {
        ByteBuffer header = ByteBuffer.wrap(bytes);
        if (header.getLong() != SEGMENT_MAGIC) {
            throw new Malformed("this is not a log segment");
        }
        int version = header.getInt();
        long actualId = header.getLong();
        if (header.getInt() != crc(bytes, 0, SEGMENT_HEADER_BYTES - Integer.BYTES)) {
            throw new Malformed("the segment's header is damaged");
        }
        if (version != VERSION) {
            throw new Malformed("the log has format version " + version + ", this release reads version " + VERSION);
        }
        if (actualId != id) {
            throw new Malformed("this is segment " + actualId + " under the name of segment " + id);
        }
    }

    /** How many bytes an entry takes in a payload. */
    static long recordBytes(Entry entry) {
        return (long) RECORD_FIXED_BYTES + entry.key().length() + entry.value().length;
    }

    /** Writes a frame around the payload that stands at {@link #FRAME_HEADER_BYTES} and ends at the buffer's position. */
    static void finishFrame(ByteBuffer frame) {
        int payload = frame.position() - FRAME_HEADER_BYTES;
        frame.putInt(END_MARK);
        frame.putInt(0, FRAME_MAGIC);
        frame.putInt(4, payload);
        frame.putInt(8, crc(frame, FRAME_HEADER_BYTES, payload));
        frame.putInt(12, crc(frame, 0, 12));
    }

    /** Whether a frame's header is undamaged. */
    static boolean isFrameHeader(ByteBuffer header) {
        return header.getInt(0) == FRAME_MAGIC && header.getInt(12) == crc(header, 0, 12);
    }

    static int payloadLength(ByteBuffer header) {
        return header.getInt(4);
    }

    static int payloadCrc(ByteBuffer header) {
        return header.getInt(8);
    }

    static int crc(byte[] bytes, int from, int length) {
        return crc(ByteBuffer.wrap(bytes), from, length);
    }

    private static int crc(ByteBuffer bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().clear().position(from).limit(from + length));
        return (int) crc.getValue();
    }

    static void putRecord(ByteBuffer payload, Entry entry) {
        byte[] key = entry.key().unsafeBytes();
        byte[] value = entry.value();
        payload.putShort((short) key.length)
                .put(entry.isTombstone() ? TOMBSTONE : PLAIN)
                .putLong(entry.version().packed())
                .putLong(entry.expiresAtMillis())
                .putInt(value.length)
                .put(key)
                .put(value);
    }

    /** Decodes a payload whose checksum was right. */
    static void readRecords(byte[] bytes, int length, List<Entry> into) throws Malformed {
        ByteBuffer payload = ByteBuffer.wrap(bytes, 0, length);
        while (payload.hasRemaining()) {
            if (payload.remaining() < RECORD_FIXED_BYTES) {
                throw new Malformed("a record is cut off");
            }
            int keyLength = Short.toUnsignedInt(payload.getShort());
            byte kind = payload.get();
            Version version = new Version(payload.getLong());
            long expiresAtMillis = payload.getLong();
            int valueLength = payload.getInt();
            if (keyLength < Key.MIN_LENGTH
                    || keyLength > Key.MAX_LENGTH
                    || valueLength < 0
                    || (long) keyLength + valueLength > payload.remaining()
                    || expiresAtMillis < 0
                    || (kind != PLAIN && kind != TOMBSTONE)
                    || (kind == TOMBSTONE && valueLength > 0)) {
                throw new Malformed("a record has key length " + keyLength + ", kind " + kind + ", expiry "
                        + expiresAtMillis + ", value length " + valueLength);
            }
            int start = payload.position();
            Key key = Key.copyOfRange(bytes, start, start + keyLength);
            payload.position(start + keyLength);
            if (kind == TOMBSTONE) {
                into.add(Entry.tombstone(key, version));
            } else {
                byte[] value = new byte[valueLength];
                payload.get(value);
                into.add(Entry.value(key, version, value, expiresAtMillis));
            }
        }
    }
}
