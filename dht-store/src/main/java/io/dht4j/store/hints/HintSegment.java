package io.dht4j.store.hints;

import io.dht4j.spi.Entry;
import io.dht4j.store.log.LogFormat;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/** A file of hints. Guarded by its {@link HintQueue}. */
final class HintSegment {

    /** The size of the pieces in which larger frames are written and read, without a copy of all their bytes. */
    static final int PIECE_BYTES = 1 << 20;

    final long number;
    final Path file;
    final long firstMillis;
    long length;
    long lastMillis;

    HintSegment(long number, Path file, long length, long millis) {
        this.number = number;
        this.file = file;
        this.length = length;
        this.firstMillis = millis;
        this.lastMillis = millis;
    }

    /** Reads frames until there are enough. Returns where the next one begins. */
    long read(long from, int maxBytes, List<Entry> into) throws IOException, LogFormat.Malformed {
        long position = from;
        long limit = position + maxBytes;
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            if (length < LogFormat.SEGMENT_HEADER_BYTES) {
                return position;
            }
            byte[] header = new byte[LogFormat.SEGMENT_HEADER_BYTES];
            in.readFully(header);
            LogFormat.checkSegmentHeader(header, number);
            while (position < length) {
                long next;
                try {
                    next = readFrame(in, position, limit, into);
                } catch (LogFormat.Malformed e) {
                    if (into.isEmpty()) {
                        throw e;
                    }
                    // The entries before the damage first; the next call meets the damage again.
                    break;
                }
                if (next == position) {
                    break;
                }
                position = next;
            }
        }
        return position;
    }

    /**
     * Returns where the frame ends. Returns where it begins if there are enough entries without it, or if a process
     * ended in the middle of it.
     */
    private long readFrame(RandomAccessFile in, long position, long limit, List<Entry> into)
            throws IOException, LogFormat.Malformed {
        long remaining = length - position;
        if (remaining < LogFormat.FRAME_HEADER_BYTES) {
            return position;
        }
        in.seek(position);
        byte[] headerBytes = new byte[LogFormat.FRAME_HEADER_BYTES];
        in.readFully(headerBytes);
        ByteBuffer header = ByteBuffer.wrap(headerBytes);
        if (!LogFormat.isFrameHeader(header) || LogFormat.payloadLength(header) < 0) {
            throw new LogFormat.Malformed("a frame's header is damaged");
        }
        int payloadBytes = LogFormat.payloadLength(header);
        long end = position + LogFormat.FRAME_HEADER_BYTES + payloadBytes + LogFormat.FRAME_TRAILER_BYTES;
        if (end > length || (end > limit && !into.isEmpty())) {
            return position;
        }
        if (payloadBytes <= PIECE_BYTES) {
            byte[] payload = new byte[payloadBytes];
            in.readFully(payload);
            requireChecksum(header, LogFormat.crc(payload, 0, payloadBytes));
            LogFormat.readRecords(payload, payloadBytes, into);
        } else {
            readLargeFrame(in, header, payloadBytes, into);
        }
        return end;
    }

    /**
     * Reads the payload twice, so that it is decoded only after its checksum was verified, and is never in memory
     * twice.
     */
    private static void readLargeFrame(RandomAccessFile in, ByteBuffer header, int length, List<Entry> into)
            throws IOException, LogFormat.Malformed {
        long begin = in.getFilePointer();
        byte[] piece = new byte[PIECE_BYTES];
        CRC32C crc = new CRC32C();
        for (int left = length; left > 0; left -= piece.length) {
            int count = Math.min(piece.length, left);
            in.readFully(piece, 0, count);
            crc.update(piece, 0, count);
        }
        requireChecksum(header, (int) crc.getValue());
        in.seek(begin);
        for (long left = length; left > 0; ) {
            Entry entry = LogFormat.readRecord(in, left);
            into.add(entry);
            left -= LogFormat.recordBytes(entry);
        }
    }

    private static void requireChecksum(ByteBuffer header, int crc) throws LogFormat.Malformed {
        if (crc != LogFormat.payloadCrc(header)) {
            throw new LogFormat.Malformed("a frame does not match its checksum");
        }
    }
}
