package io.dht4j.topology.microraft.internal.log;

import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.log.LogFormat;
import io.dht4j.topology.microraft.internal.codec.Malformed;
import io.dht4j.topology.microraft.internal.codec.Records;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads files of the log: a header, and frames as in the {@linkplain LogFormat log of the store}. All numbers are
 * big-endian.
 *
 * <pre>
 * header   magic (8) "dht4jrft", format version (4), number of the file (8), CRC32C of these (4)
 * payload  records, each after its length (4)
 * </pre>
 *
 * Each frame is forced to the disk before the next one is written. So at most the last one can be torn; damage before
 * it is never cut.
 */
final class FrameFile {

    private static final Logger LOG = LoggerFactory.getLogger(FrameFile.class);

    static final int HEADER_BYTES = 24;

    /** The most bytes of a payload. A single record may be larger than others together. */
    static final int MAX_PAYLOAD = 4 << 20;

    /** The remedy for a log that cannot be used. An empty directory is refused without these calls. */
    static final String WAY_OUT = ": restore the log, or call membership().replace for this node, or, without"
            + " other voters, use MembershipChange.Recover";

    private static final int VERSION = 1;
    private static final byte[] MAGIC = "dht4jrft".getBytes(StandardCharsets.ISO_8859_1);
    private static final int SECTOR = 512;
    private static final int PIECE = 8192;

    private final Path path;
    private final RandomAccessFile in;
    private final long length;

    private FrameFile(Path path, RandomAccessFile in, long length) {
        this.path = path;
        this.in = in;
        this.length = length;
    }

    static byte[] header(long number) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.put(MAGIC).putInt(VERSION).putLong(number);
        header.putInt(LogFormat.crc(header.array(), 0, HEADER_BYTES - Integer.BYTES));
        return header.array();
    }

    /** Returns records as frames; each frame is written and forced before the next one. */
    static List<byte[]> frames(List<byte[]> records) {
        List<byte[]> frames = new ArrayList<>();
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (byte[] record : records) {
            if (payload.size() > 0 && payload.size() + Integer.BYTES + record.length > MAX_PAYLOAD) {
                frames.add(frame(payload));
            }
            payload.writeBytes(
                    ByteBuffer.allocate(Integer.BYTES).putInt(record.length).array());
            payload.writeBytes(record);
        }
        if (payload.size() > 0) {
            frames.add(frame(payload));
        }
        return frames;
    }

    private static byte[] frame(ByteArrayOutputStream payload) {
        ByteBuffer frame =
                ByteBuffer.allocate(LogFormat.FRAME_HEADER_BYTES + payload.size() + LogFormat.FRAME_TRAILER_BYTES);
        frame.position(LogFormat.FRAME_HEADER_BYTES).put(payload.toByteArray());
        LogFormat.finishFrame(frame);
        payload.reset();
        return frame.array();
    }

    /**
     * Reads a file, and cuts a torn frame from its end.
     *
     * @return the remaining length, which is not forced
     * @throws StoreException if the file is damaged
     */
    static long read(Disk disk, Path path, long number, RandomAccessFile file, Records.Sink into) throws IOException {
        long length = file.length();
        FrameFile read = new FrameFile(path, file, length);
        read.checkHeader(number);
        long end = HEADER_BYTES;
        while (end < length) {
            long next = read.frameAt(end, into);
            if (next == end) {
                break;
            }
            end = next;
        }
        if (end < length) {
            LOG.warn(
                    "{}: the log ends in the middle of a write, which was never confirmed; cut {} bytes at offset {}",
                    path,
                    length - end,
                    end);
            disk.truncate(file, path, end);
        }
        return end;
    }

    private void checkHeader(long number) throws IOException {
        if (length < HEADER_BYTES) {
            throw damaged(0, "its header is cut off");
        }
        byte[] header = bytes(0, HEADER_BYTES);
        if (!java.util.Arrays.equals(header, header(number))) {
            int version = ByteBuffer.wrap(header).getInt(MAGIC.length);
            throw damaged(
                    0,
                    "its header is not that of file " + number + " in format version " + VERSION
                            + (version == VERSION ? "" : ", but says version " + version));
        }
    }

    /** Returns where the frame ends, or where it begins if it is torn. */
    private long frameAt(long position, Records.Sink into) throws IOException {
        long remaining = length - position;
        if (remaining < LogFormat.FRAME_HEADER_BYTES) {
            return position;
        }
        ByteBuffer header = ByteBuffer.wrap(bytes(position, LogFormat.FRAME_HEADER_BYTES));
        if (!LogFormat.isFrameHeader(header)) {
            if (isZero(position, length)
                    || (hasHole(position, position + LogFormat.FRAME_HEADER_BYTES) && !isFrameIn(position + 1))) {
                return position;
            }
            throw damaged(position, "a frame's header is damaged");
        }
        int payload = LogFormat.payloadLength(header);
        if (payload < 1 || payload > Math.max(MAX_PAYLOAD, Records.MAX_BYTES + Integer.BYTES)) {
            throw damaged(position, "a frame claims " + payload + " bytes");
        }
        long end = position + LogFormat.FRAME_HEADER_BYTES + payload + LogFormat.FRAME_TRAILER_BYTES;
        if (end > length) {
            return position;
        }
        byte[] bytes = bytes(position + LogFormat.FRAME_HEADER_BYTES, payload + LogFormat.FRAME_TRAILER_BYTES);
        int mark = ByteBuffer.wrap(bytes).getInt(payload);
        if (LogFormat.crc(bytes, 0, payload) != LogFormat.payloadCrc(header) || mark != LogFormat.END_MARK) {
            if ((mark == 0 && end == length) || (hasHole(position, end) && !isFrameIn(end))) {
                return position;
            }
            throw damaged(position, "a frame of " + payload + " bytes does not match its checksum");
        }
        readRecords(position, ByteBuffer.wrap(bytes, 0, payload), into);
        return end;
    }

    private void readRecords(long position, ByteBuffer payload, Records.Sink into) {
        try {
            while (payload.hasRemaining()) {
                int size = payload.remaining() < Integer.BYTES ? -1 : payload.getInt();
                if (size < 0 || size > payload.remaining()) {
                    throw new Malformed("a record is cut off");
                }
                byte[] record = new byte[size];
                payload.get(record);
                Records.read(record, into);
            }
        } catch (Malformed e) {
            throw damaged(position, String.valueOf(e.getMessage()));
        }
    }

    private StoreException damaged(long position, String what) {
        return new StoreException(path + " is damaged at offset " + position + ": " + what
                + "; the state of the agreement is not known here, and must not be guessed" + WAY_OUT);
    }

    private byte[] bytes(long from, int count) throws IOException {
        byte[] bytes = new byte[count];
        in.seek(from);
        in.readFully(bytes);
        return bytes;
    }

    /**
     * Returns whether a sector within bytes consists of zeros, and so was never written: a disk writes in any order.
     */
    private boolean hasHole(long from, long to) throws IOException {
        for (long sector = from / SECTOR * SECTOR; sector < to; sector += SECTOR) {
            if (isZero(Math.max(sector, from), Math.min(sector + SECTOR, length))) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a frame begins anywhere from a position on: then the bytes before it were forced. */
    private boolean isFrameIn(long from) throws IOException {
        int step = PIECE - LogFormat.FRAME_HEADER_BYTES + 1;
        for (long position = from; position + LogFormat.FRAME_HEADER_BYTES <= length; position += step) {
            byte[] piece = bytes(position, (int) Math.min(PIECE, length - position));
            for (int i = 0; i + LogFormat.FRAME_HEADER_BYTES <= piece.length; i++) {
                if (LogFormat.isFrameHeader(
                        ByteBuffer.wrap(piece, i, LogFormat.FRAME_HEADER_BYTES).slice())) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isZero(long from, long to) throws IOException {
        byte[] piece = new byte[PIECE];
        in.seek(from);
        for (long left = to - from; left > 0; ) {
            int read = in.read(piece, 0, (int) Math.min(piece.length, left));
            if (read < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
            for (int i = 0; i < read; i++) {
                if (piece[i] != 0) {
                    return false;
                }
            }
            left -= read;
        }
        return true;
    }
}
