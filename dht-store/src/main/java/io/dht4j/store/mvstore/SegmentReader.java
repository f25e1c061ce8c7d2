package io.dht4j.store.mvstore;

import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.store.log.LogFormat;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays a segment of the log. In the last segment it cuts what a process or a machine leaves that stops in the middle
 * of a write: a frame that ends too early, or whose end consists of zeros (blocks that were promised to the file but never
 * written), or that is wrong and has a sector of zeros in it with no frame behind it (blocks that reach the disk in any order). Where the store was closed in order nothing is cut. Everything else
 * that is not as it was written is damage, which no release of this class repairs.
 */
final class SegmentReader {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentReader.class);

    private static final int BUFFER_BYTES = 8192;

    /** A disk writes so many bytes as a whole or not at all. */
    private static final int SECTOR_BYTES = 512;

    private final Disk disk;
    private final Path file;
    private final long id;
    private final boolean last;
    private final boolean unfinished;
    private boolean sealed;

    /**
     * A reader of a segment.
     *
     * @param last whether no segment follows
     * @param unfinished whether the store was not closed in order, so that the last segment may end with a write that nobody was told of
     */
    SegmentReader(Disk disk, Path file, long id, boolean last, boolean unfinished) {
        this.disk = disk;
        this.file = file;
        this.id = id;
        this.last = last;
        this.unfinished = unfinished;
    }

    /** Reads the segment into a table; the last segment's torn tail is gone from the file on return. */
    Memtable replay() {
        Memtable table = new Memtable(id, file);
        try (RandomAccessFile in = disk.open(file)) {
            long length = in.length();
            long position = 0;
            if (readSegmentHeader(in, length)) {
                position = LogFormat.SEGMENT_HEADER_BYTES;
                long next = position;
                while (next < length) {
                    position = next;
                    next = readFrame(in, position, length, table);
                    if (next == position) {
                        break;
                    }
                }
                position = next;
            }
            if (position < Math.max(length, LogFormat.SEGMENT_HEADER_BYTES)) {
                cut(in, position, length);
            }
            return table;
        } catch (IOException e) {
            throw new StoreException(file + " cannot be read (" + e + "); make it readable and writable", e);
        }
    }

    /** Whether another segment follows, or should. */
    boolean isSealed() {
        return sealed;
    }

    private boolean readSegmentHeader(RandomAccessFile in, long length) throws IOException {
        if (length < LogFormat.SEGMENT_HEADER_BYTES || isZero(in, 0, length)) {
            if (!last || !unfinished) {
                throw damagedAt(0, "the segment's header is cut off");
            }
            return false;
        }
        byte[] header = new byte[LogFormat.SEGMENT_HEADER_BYTES];
        in.seek(0);
        in.readFully(header);
        try {
            LogFormat.checkSegmentHeader(header, id);
        } catch (LogFormat.Malformed e) {
            throw damagedAt(0, String.valueOf(e.getMessage()));
        }
        return true;
    }

    /** Reads a frame into the table and returns where the next one begins; where this one begins if it is torn. */
    private long readFrame(RandomAccessFile in, long position, long length, Memtable table) throws IOException {
        long remaining = length - position;
        if (!last && isUnfinishedSeal(in, position, length)) {
            return length;
        }
        if (remaining < LogFormat.FRAME_HEADER_BYTES) {
            return torn(position, "a frame's header is cut off");
        }
        ByteBuffer header = ByteBuffer.allocate(LogFormat.FRAME_HEADER_BYTES);
        in.seek(position);
        in.readFully(header.array());
        if (!LogFormat.isFrameHeader(header)) {
            if (last && isZero(in, position, length)) {
                return torn(position, "only zeros follow");
            }
            if (hasHole(in, position, position + LogFormat.FRAME_HEADER_BYTES, length)
                    && !isFrameIn(in, position + 1, length)) {
                return torn(position, "a part of a frame's header was never written");
            }
            throw damagedAt(position, "a frame's header is damaged");
        }
        int payloadLength = LogFormat.payloadLength(header);
        long end = position + LogFormat.FRAME_HEADER_BYTES + payloadLength + LogFormat.FRAME_TRAILER_BYTES;
        if (payloadLength < 0) {
            throw damagedAt(position, "a frame claims " + payloadLength + " bytes");
        }
        if (end > length) {
            return torn(position, "a frame of " + payloadLength + " bytes is cut off");
        }
        byte[] payload = new byte[payloadLength];
        in.readFully(payload);
        int mark = in.readInt();
        boolean intact = LogFormat.crc(payload, 0, payloadLength) == LogFormat.payloadCrc(header);
        if (!intact || mark != LogFormat.END_MARK) {
            if (mark == 0 && end == length) {
                return torn(position, "the end of a frame was never written");
            }
            if (hasHole(in, position, end, length) && !isFrameIn(in, end, length)) {
                return torn(position, "a part of a frame was never written");
            }
            throw damagedAt(position, "a frame of " + payloadLength + " bytes does not match its checksum");
        }
        List<Entry> entries = new ArrayList<>();
        try {
            LogFormat.readRecords(payload, payloadLength, entries);
        } catch (LogFormat.Malformed e) {
            throw damagedAt(position, String.valueOf(e.getMessage()));
        }
        entries.forEach(table::put);
        sealed = payloadLength == 0 && end == length;
        return end;
    }

    /** A seal is not forced to the disk, so that its bytes may be missing after a loss of power. Nothing is lost by that. */
    private static boolean isUnfinishedSeal(RandomAccessFile in, long position, long length) throws IOException {
        if (length - position > LogFormat.SEAL_BYTES) {
            return false;
        }
        byte[] seal = LogFormat.seal();
        byte[] bytes = new byte[(int) (length - position)];
        in.seek(position);
        in.readFully(bytes);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != seal[i] && bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private long torn(long position, String what) {
        if (!last) {
            throw damagedAt(position, what + ", though a later segment follows");
        }
        if (!unfinished) {
            throw damagedAt(position, what + ", though the store was closed in order");
        }
        return position;
    }

    private void cut(RandomAccessFile in, long position, long length) throws IOException {
        LOG.warn(
                "{}: the log ends in the middle of a write, which was most likely never acknowledged; cut {} bytes at offset {}",
                file,
                length - position,
                position);
        if (position < LogFormat.SEGMENT_HEADER_BYTES) {
            disk.truncate(in, file, 0);
            in.seek(0);
            disk.write(in, file, LogFormat.segmentHeader(id), 0, LogFormat.SEGMENT_HEADER_BYTES);
        } else {
            disk.truncate(in, file, position);
        }
        disk.force(in, file);
    }

    private StoreException damagedAt(long position, String what) {
        return Health.damaged(file, "damaged at offset " + position + ": " + what);
    }

    /**
     * Whether a sector within some bytes holds zeros only, though what stands there is damaged: that was never written. What was not forced to the disk
     * reaches it in any order.
     */
    private boolean hasHole(RandomAccessFile in, long from, long to, long length) throws IOException {
        if (!last || !unfinished) {
            return false;
        }
        for (long sector = from / SECTOR_BYTES * SECTOR_BYTES; sector < to; sector += SECTOR_BYTES) {
            if (isZero(in, Math.max(sector, from), Math.min(sector + SECTOR_BYTES, length))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a frame begins anywhere from one place on: then what stands before it was written. */
    private static boolean isFrameIn(RandomAccessFile in, long from, long length) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        int step = BUFFER_BYTES - LogFormat.FRAME_HEADER_BYTES + 1;
        for (long position = from; position + LogFormat.FRAME_HEADER_BYTES <= length; position += step) {
            int count = (int) Math.min(BUFFER_BYTES, length - position);
            in.seek(position);
            in.readFully(buffer, 0, count);
            for (int i = 0; i + LogFormat.FRAME_HEADER_BYTES <= count; i++) {
                if (LogFormat.isFrameHeader(
                        ByteBuffer.wrap(buffer, i, LogFormat.FRAME_HEADER_BYTES).slice())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isZero(RandomAccessFile in, long from, long to) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        in.seek(from);
        long left = to - from;
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
            for (int i = 0; i < read; i++) {
                if (buffer[i] != 0) {
                    return false;
                }
            }
            left -= read;
        }
        return true;
    }
}
