package io.dht4j.store.log;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.io.DataInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The format of the log on the disk. All numbers are big-endian.
 *
 * <pre>
 * segment  magic (8) "dht4jlog", format version (4), segment number (8), CRC32C of these (4), then frames
 *          (the last one of a segment that another one follows is empty)
 * frame    magic (4), length of the payload (4), CRC32C of the payload (4), CRC32C of these (4), payload, end mark (4)
 * payload  records
 * record   length of the key (2), kind (1), version (8), expiry (8), length of the value (4), key, value
 * </pre>
 *
 * A group commit writes one frame. Its header has its own checksum, so that a length is verified before it is used. A
 * frame with a valid header that is longer than its file was cut off; a frame with an invalid header was damaged. The
 * end mark distinguishes a frame whose last blocks never reached the disk from one that was changed later.
 */
public final class LogFormat {

    /** The version of this format. */
    public static final int VERSION = 1;

    /** The length of a segment's header in bytes. */
    public static final int SEGMENT_HEADER_BYTES = 24;

    /** The length of a frame's header in bytes. */
    public static final int FRAME_HEADER_BYTES = 16;

    /** The length of a frame's end mark in bytes. */
    public static final int FRAME_TRAILER_BYTES = 4;

    /** The length of an empty frame, which ends a segment that another one follows. */
    public static final int SEAL_BYTES = FRAME_HEADER_BYTES + FRAME_TRAILER_BYTES;

    /** The end mark of a frame. */
    public static final int END_MARK = 0x454e4421;

    /** The largest value that fits into a frame with room to spare: payload lengths are ints. */
    public static final int MAX_VALUE_BYTES = 1 << 30;

    private static final long SEGMENT_MAGIC = 0x64687434_6a6c6f67L;
    private static final int FRAME_MAGIC = 0x64344672;
    private static final int RECORD_FIXED_BYTES = 2 + 1 + 8 + 8 + 4;
    private static final byte PLAIN = 0;
    private static final byte TOMBSTONE = 1;

    private LogFormat() {}

    /** Malformed bytes, with a description of the error. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        /**
         * Creates the exception.
         *
         * @param what the error in words
         */
        public Malformed(String what) {
            super(what, null, false, false);
        }
    }

    /**
     * Returns the header of a segment.
     *
     * @param id its number
     * @return {@value #SEGMENT_HEADER_BYTES} bytes
     */
    public static byte[] segmentHeader(long id) {
        ByteBuffer header = ByteBuffer.allocate(SEGMENT_HEADER_BYTES);
        header.putLong(SEGMENT_MAGIC).putInt(VERSION).putLong(id);
        header.putInt(crc(header.array(), 0, SEGMENT_HEADER_BYTES - Integer.BYTES));
        return header.array();
    }

    /**
     * Checks the header of a segment.
     *
     * @param bytes {@value #SEGMENT_HEADER_BYTES} of them
     * @param id the number that it should have
     * @throws Malformed if they are not the header of that segment in this version
     */
    public static void checkSegmentHeader(byte[] bytes, long id) throws Malformed {
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

    /**
     * Returns how many bytes an entry takes in a payload.
     *
     * @param entry any entry
     * @return its encoded size
     */
    public static long recordBytes(Entry entry) {
        return RECORD_FIXED_BYTES + entry.bytes();
    }

    /**
     * Writes a frame around a payload.
     *
     * @param frame with the payload at {@link #FRAME_HEADER_BYTES}, up to its position, and with room for the trailer;
     *     the whole frame stands before its position on return
     */
    public static void finishFrame(ByteBuffer frame) {
        int payload = frame.position() - FRAME_HEADER_BYTES;
        frame.putInt(END_MARK);
        finishHeader(frame, payload, crc(frame, FRAME_HEADER_BYTES, payload));
    }

    /**
     * Returns a frame as consecutive pieces. Some of them are the values of the entries themselves, so that large
     * values are not copied.
     *
     * @param entries the entries of the payload, in order
     * @param payloadBytes the sum of their {@linkplain #recordBytes sizes}
     * @return buffers over arrays, to be written from position to limit
     */
    public static List<ByteBuffer> frame(List<Entry> entries, int payloadBytes) {
        List<ByteBuffer> pieces = new ArrayList<>(2 * entries.size() + 2);
        ByteBuffer header = ByteBuffer.allocate(FRAME_HEADER_BYTES);
        pieces.add(header);
        CRC32C crc = new CRC32C();
        for (Entry entry : entries) {
            ByteBuffer head =
                    ByteBuffer.allocate(RECORD_FIXED_BYTES + entry.key().length());
            putHead(head, entry);
            head.flip();
            crc.update(head.duplicate());
            crc.update(entry.value());
            pieces.add(head);
            pieces.add(ByteBuffer.wrap(entry.value()));
        }
        pieces.add(ByteBuffer.allocate(FRAME_TRAILER_BYTES).putInt(END_MARK).flip());
        finishHeader(header, payloadBytes, (int) crc.getValue());
        return pieces;
    }

    private static void finishHeader(ByteBuffer frame, int payloadBytes, int payloadCrc) {
        frame.putInt(0, FRAME_MAGIC);
        frame.putInt(4, payloadBytes);
        frame.putInt(8, payloadCrc);
        frame.putInt(12, crc(frame, 0, 12));
    }

    /**
     * Returns the empty frame that ends a segment which another one follows.
     *
     * @return {@value #SEAL_BYTES} bytes
     */
    public static byte[] seal() {
        ByteBuffer frame = ByteBuffer.allocate(SEAL_BYTES).position(FRAME_HEADER_BYTES);
        finishFrame(frame);
        return frame.array();
    }

    /**
     * Returns whether a frame's header is undamaged.
     *
     * @param header {@value #FRAME_HEADER_BYTES} bytes from index 0
     * @return false if its length is unreliable
     */
    public static boolean isFrameHeader(ByteBuffer header) {
        return header.getInt(0) == FRAME_MAGIC && header.getInt(12) == crc(header, 0, 12);
    }

    /**
     * Returns the length of a frame's payload.
     *
     * @param header undamaged
     * @return bytes; a negative number is damage
     */
    public static int payloadLength(ByteBuffer header) {
        return header.getInt(4);
    }

    /**
     * Returns the expected checksum of a frame's payload.
     *
     * @param header undamaged
     * @return CRC32C
     */
    public static int payloadCrc(ByteBuffer header) {
        return header.getInt(8);
    }

    /**
     * Returns the checksum of bytes.
     *
     * @param bytes where they are
     * @param from index of the first
     * @param length how many
     * @return CRC32C
     */
    public static int crc(byte[] bytes, int from, int length) {
        return crc(ByteBuffer.wrap(bytes), from, length);
    }

    private static int crc(ByteBuffer bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().clear().position(from).limit(from + length));
        return (int) crc.getValue();
    }

    /**
     * Adds an entry to a payload.
     *
     * @param payload with room for it behind its position
     * @param entry the entry
     */
    public static void putRecord(ByteBuffer payload, Entry entry) {
        putHead(payload, entry);
        payload.put(entry.value());
    }

    /** Writes all of a record except the value, which comes last. */
    private static void putHead(ByteBuffer payload, Entry entry) {
        byte[] key = entry.key().unsafeBytes();
        payload.putShort((short) key.length)
                .put(entry.isTombstone() ? TOMBSTONE : PLAIN)
                .putLong(entry.version().packed())
                .putLong(entry.expiresAtMillis())
                .putInt(entry.value().length)
                .put(key);
    }

    /**
     * Decodes a payload whose checksum was right.
     *
     * @param bytes begin with the payload
     * @param length of the payload
     * @param into takes the entries
     * @throws Malformed if they are not records; the entries before are added
     */
    public static void readRecords(byte[] bytes, int length, List<Entry> into) throws Malformed {
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
            check(keyLength, kind, expiresAtMillis, valueLength, payload.remaining());
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

    /**
     * Decodes one record of a payload with a verified checksum. Allocates at most the size of the payload.
     *
     * @param in at the record
     * @param remaining bytes of the payload from there on
     * @return the entry; the input is behind its record
     * @throws Malformed if it is no record
     * @throws IOException if it cannot be read
     */
    public static Entry readRecord(DataInput in, long remaining) throws Malformed, IOException {
        if (remaining < RECORD_FIXED_BYTES) {
            throw new Malformed("a record is cut off");
        }
        int keyLength = in.readUnsignedShort();
        byte kind = in.readByte();
        Version version = new Version(in.readLong());
        long expiresAtMillis = in.readLong();
        int valueLength = in.readInt();
        check(keyLength, kind, expiresAtMillis, valueLength, remaining - RECORD_FIXED_BYTES);
        byte[] keyBytes = new byte[keyLength];
        in.readFully(keyBytes);
        Key key = Key.copyOfRange(keyBytes, 0, keyLength);
        if (kind == TOMBSTONE) {
            return Entry.tombstone(key, version);
        }
        byte[] value = new byte[valueLength];
        in.readFully(value);
        return Entry.value(key, version, value, expiresAtMillis);
    }

    private static void check(int keyLength, byte kind, long expiresAtMillis, int valueLength, long remaining)
            throws Malformed {
        if (keyLength < Key.MIN_LENGTH
                || keyLength > Key.MAX_LENGTH
                || valueLength < 0
                || (long) keyLength + valueLength > remaining
                || expiresAtMillis < 0
                || (kind != PLAIN && kind != TOMBSTONE)
                || (kind == TOMBSTONE && valueLength > 0)) {
            throw new Malformed("a record has key length " + keyLength + ", kind " + kind + ", expiry "
                    + expiresAtMillis + ", value length " + valueLength);
        }
    }
}
