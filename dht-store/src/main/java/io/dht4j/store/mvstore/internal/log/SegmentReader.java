package io.dht4j.store.mvstore.internal.log;

import io.dht4j.spi.Entry;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.log.LogFormat;
import io.dht4j.store.mvstore.internal.disk.Health;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays a segment of the log. From the last segment it removes the write that a process or a machine did not finish:
 * a frame that ends too early, or that ends in zeros (blocks that were allocated but never written), or a wrong frame
 * with a sector of zeros and no frame behind it (blocks that were written in any order). After a clean shutdown it
 * removes no frame. Any other difference from the written data is damage, which is not repaired.
 */
final class SegmentReader {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentReader.class);

    private static final int BUFFER_BYTES = 8192;

    /** The largest frame that is read as a whole. A larger one has one entry, because it exceeds a group. */
    private static final int WHOLE_BYTES = 1 << 20;

    /** A disk writes a sector as a whole or not at all. */
    private static final int SECTOR_BYTES = 512;

    private final Disk disk;
    private final Path file;
    private final long id;
    private final boolean last;
    private final boolean unfinished;
    private boolean sealed;
    /** The end of the last intact frame. */
    private long end;

    private long length;

    /** Receives the entries of a segment. */
    interface Sink {
        /** Makes room in memory for an entry of up to so many bytes, before it is read. */
        void makeRoom(long bytes);

        void add(Entry entry);
    }

    /**
     * Creates a reader of a segment.
     *
     * @param last whether no segment follows
     * @param unfinished whether the shutdown was not clean, so that the last segment may end with a write that was not
     *     acknowledged
     */
    SegmentReader(Disk disk, Path file, long id, boolean last, boolean unfinished) {
        this.disk = disk;
        this.file = file;
        this.id = id;
        this.last = last;
        this.unfinished = unfinished;
    }

    /** Reads the segment's entries, in the order of their writes. Does not change the file. */
    void replay(Sink into) {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            length = in.length();
            end = 0;
            if (readSegmentHeader(in, length)) {
                long next = LogFormat.SEGMENT_HEADER_BYTES;
                do {
                    end = next;
                    next = end < length ? readFrame(in, end, length, into) : end;
                } while (next != end);
            }
        } catch (IOException e) {
            throw new StoreException(file + " cannot be read (" + FileFailure.inWords(e) + "); make it readable", e);
        }
    }

    /** Returns the end of the last intact frame; {@link #truncateTorn} removes the rest. */
    long end() {
        return end;
    }

    /** Removes a torn write from the end of the file. May be repeated. */
    void truncateTorn() throws IOException {
        if (end >= Math.max(length, LogFormat.SEGMENT_HEADER_BYTES)) {
            return;
        }
        LOG.warn(
                "{}: the log ends in the middle of a write, which was most likely never acknowledged; cut {} "
                        + "bytes at offset {}",
                file,
                length - end,
                end);
        try (RandomAccessFile out = disk.open(file)) {
            if (end < LogFormat.SEGMENT_HEADER_BYTES) {
                disk.truncate(out, file, 0);
                out.seek(0);
                disk.write(out, file, LogFormat.segmentHeader(id), 0, LogFormat.SEGMENT_HEADER_BYTES);
            } else {
                disk.truncate(out, file, end);
            }
            disk.force(out, file);
        }
    }

    /** Returns whether another segment must follow. */
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

    /** Reads a frame and returns where the next one begins; where this one begins if it is torn. */
    private long readFrame(RandomAccessFile in, long position, long length, Sink into) throws IOException {
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
        if (payloadLength > WHOLE_BYTES) {
            return readLargeFrame(in, position, header, length, into);
        }
        byte[] payload = new byte[payloadLength];
        in.readFully(payload);
        boolean intact = LogFormat.crc(payload, 0, payloadLength) == LogFormat.payloadCrc(header);
        if (isTorn(in, position, end, length, intact)) {
            return position;
        }
        try {
            List<Entry> entries = new ArrayList<>();
            LogFormat.readRecords(payload, payloadLength, entries);
            entries.forEach(into::add);
        } catch (LogFormat.Malformed e) {
            throw damagedAt(position, String.valueOf(e.getMessage()));
        }
        sealed = payloadLength == 0 && end == length;
        return end;
    }

    /** Reads a frame of few large entries, which are in memory once, and not once more as bytes of the frame. */
    private long readLargeFrame(RandomAccessFile in, long position, ByteBuffer header, long length, Sink into)
            throws IOException {
        long from = position + LogFormat.FRAME_HEADER_BYTES;
        long to = from + LogFormat.payloadLength(header);
        CRC32C crc = new CRC32C();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (long at = from; at < to; ) {
            int count = (int) Math.min(buffer.length, to - at);
            in.readFully(buffer, 0, count);
            crc.update(buffer, 0, count);
            at += count;
        }
        boolean intact = (int) crc.getValue() == LogFormat.payloadCrc(header);
        long frameEnd = to + LogFormat.FRAME_TRAILER_BYTES;
        if (isTorn(in, position, frameEnd, length, intact)) {
            return position;
        }
        in.seek(from);
        try {
            for (long at = from; at < to; at = in.getFilePointer()) {
                into.makeRoom(to - at);
                into.add(LogFormat.readRecord(in, to - at));
            }
        } catch (LogFormat.Malformed e) {
            throw damagedAt(position, String.valueOf(e.getMessage()));
        }
        sealed = false;
        return frameEnd;
    }

    /** Returns whether a frame was never written as a whole, with the file at its end mark. Throws if it is damaged. */
    private boolean isTorn(RandomAccessFile in, long position, long frameEnd, long length, boolean intact)
            throws IOException {
        int mark = in.readInt();
        if (intact && mark == LogFormat.END_MARK) {
            return false;
        }
        if (mark == 0 && frameEnd == length) {
            torn(position, "the end of a frame was never written");
        } else if (hasHole(in, position, frameEnd, length) && !isFrameIn(in, frameEnd, length)) {
            torn(position, "a part of a frame was never written");
        } else {
            throw damagedAt(
                    position,
                    "a frame of " + (frameEnd - position - LogFormat.SEAL_BYTES)
                            + " bytes does not match its checksum");
        }
        return true;
    }

    /** Returns whether a seal was written in part: it is not forced to the disk. No data is lost then. */
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

    private StoreException damagedAt(long position, String what) {
        return Health.damaged(file, "is damaged at offset " + position + ": " + what);
    }

    /**
     * Returns whether a sector within damaged bytes consists of zeros, and so was never written: without fsync a disk
     * writes in any order.
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

    /** Returns whether a frame begins anywhere from a position on: then the bytes before it were written. */
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
