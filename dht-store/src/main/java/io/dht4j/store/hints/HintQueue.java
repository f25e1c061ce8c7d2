package io.dht4j.store.hints;

import io.dht4j.spi.Entry;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.StoreException;
import io.dht4j.store.log.FileIdentity;
import io.dht4j.store.log.LogFormat;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hints for one node. A file of an earlier process is read and never appended to, so that an unfinished frame is at
 * the end of its file. Safe for use by any number of threads.
 */
final class HintQueue implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HintQueue.class);
    private static final Pattern SEGMENT_FILE = Pattern.compile("(\\d{1,9})\\.hints");

    /** The size at which a segment takes no more frames; its hints are deleted together. */
    private static final long SEGMENT_BYTES = 4L << 20;

    /** The age of the first frame at which a segment takes no more frames; its hints expire together. */
    private static final long SEGMENT_MILLIS = 10 * 60 * 1000L;

    /** The least interval between checks of the file; hints kept since the last one may be lost with a removed file. */
    static final long UNCHECKED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int OFFSET_BITS = 32;

    /** The size of the pieces in which larger frames are written and read, without a copy of all their bytes. */
    private static final int PIECE_BYTES = 1 << 20;

    private final Path directory;
    private final HintBytes bytes;
    // Guarded by this.
    private final Deque<Segment> segments = new ArrayDeque<>();
    private @Nullable RandomAccessFile out;
    private @Nullable FileIdentity outIdentity;
    private long checkedNanos;
    private long nextNumber = 1;
    private boolean closed;
    /** The position in the first segment up to which it was delivered. */
    private long delivered = LogFormat.SEGMENT_HEADER_BYTES;

    /** A file of hints. */
    private static final class Segment {
        private final long number;
        private final Path file;
        private final long firstMillis;
        private long length;
        private long lastMillis;

        Segment(long number, Path file, long length, long millis) {
            this.number = number;
            this.file = file;
            this.length = length;
            this.firstMillis = millis;
            this.lastMillis = millis;
        }
    }

    /** Creates an empty queue, whose directory need not exist. */
    HintQueue(Path directory, HintBytes bytes) {
        this.directory = directory;
        this.bytes = bytes;
    }

    /** Opens the hints of earlier processes. */
    static HintQueue open(Path directory, HintBytes bytes) throws IOException {
        HintQueue queue = new HintQueue(directory, bytes);
        List<Path> files;
        try (Stream<Path> listed = Files.list(directory)) {
            files = listed.toList();
        }
        List<Segment> found = new ArrayList<>();
        for (Path file : files) {
            Matcher matcher = SEGMENT_FILE.matcher(String.valueOf(file.getFileName()));
            if (matcher.matches()) {
                found.add(new Segment(
                        Long.parseLong(matcher.group(1)),
                        file,
                        Files.size(file),
                        Files.getLastModifiedTime(file).toMillis()));
            }
        }
        found.sort(Comparator.comparingLong(segment -> segment.number));
        queue.take(found);
        return queue;
    }

    private synchronized void take(List<Segment> found) {
        for (Segment segment : found) {
            segments.add(segment);
            bytes.held.addAndGet(segment.length);
            nextNumber = segment.number + 1;
        }
    }

    /** Returns the size of a frame of entries in bytes. */
    static long frameBytes(List<Entry> entries) {
        long bytes = LogFormat.FRAME_HEADER_BYTES + LogFormat.FRAME_TRAILER_BYTES;
        for (Entry entry : entries) {
            bytes += LogFormat.recordBytes(entry);
        }
        return bytes;
    }

    synchronized boolean isEmpty() {
        return segments.isEmpty();
    }

    synchronized void add(List<Entry> entries, long nowMillis) {
        int length = Math.toIntExact(frameBytes(entries));
        int payload = length - LogFormat.FRAME_HEADER_BYTES - LogFormat.FRAME_TRAILER_BYTES;
        try {
            append(LogFormat.frame(entries, payload), length, nowMillis);
        } catch (IOException e) {
            throw new StoreException("hints cannot be kept in " + directory + " (" + e + ")", e);
        }
    }

    private void append(List<ByteBuffer> frame, int length, long nowMillis) throws IOException {
        dropIfGone();
        RandomAccessFile file = out;
        if (file == null
                || segments.getLast().length >= SEGMENT_BYTES
                || nowMillis - segments.getLast().firstMillis >= SEGMENT_MILLIS) {
            file = beginSegment(nowMillis);
        }
        Segment segment = segments.getLast();
        try {
            if (length <= PIECE_BYTES) {
                ByteBuffer whole = ByteBuffer.allocate(length);
                frame.forEach(whole::put);
                file.write(whole.array());
            } else {
                writePieces(file, frame);
            }
        } catch (IOException | Error e) {
            // The rest of a frame would hide the frames behind it.
            closeOut();
            throw e;
        }
        segment.length += length;
        segment.lastMillis = nowMillis;
        bytes.held.addAndGet(length);
    }

    /** Writes a frame without a copy of large values; the system's own copy is as large as a piece. */
    private static void writePieces(RandomAccessFile file, List<ByteBuffer> frame) throws IOException {
        for (ByteBuffer part : frame) {
            for (int from = part.position(); from < part.limit(); from += PIECE_BYTES) {
                file.write(part.array(), part.arrayOffset() + from, Math.min(PIECE_BYTES, part.limit() - from));
            }
        }
    }

    /** Begins a new file in place of one that was removed or replaced while it was being written. */
    private void dropIfGone() throws IOException {
        FileIdentity identity = outIdentity;
        if (out == null || identity == null || System.nanoTime() - checkedNanos < UNCHECKED_NANOS) {
            return;
        }
        checkedNanos = System.nanoTime();
        Optional<String> loss = identity.loss();
        if (loss.isEmpty()) {
            return;
        }
        LOG.warn("{} {} while it was being written: its hints are dropped", identity.path(), loss.get());
        closeOut();
        Segment gone = segments.removeLast();
        bytes.held.addAndGet(-gone.length);
        bytes.lost.addAndGet(segments.isEmpty() ? Math.max(0, gone.length - delivered) : gone.length);
        if (segments.isEmpty()) {
            delivered = LogFormat.SEGMENT_HEADER_BYTES;
        }
    }

    private RandomAccessFile beginSegment(long nowMillis) throws IOException {
        closeOut();
        if (closed) {
            throw new IOException("the log is closed");
        }
        if (!Files.isDirectory(directory)) {
            // Without its parent directories: a directory tree that somebody removed is not recreated in part.
            PrivateFiles.createDirectory(directory);
        }
        long number = nextNumber++;
        Path path = directory.resolve(number + ".hints");
        PrivateFiles.createIfMissing(path);
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        try {
            file.write(LogFormat.segmentHeader(number));
            outIdentity = FileIdentity.of(path);
            checkedNanos = System.nanoTime();
        } catch (IOException e) {
            file.close();
            Files.deleteIfExists(path);
            throw e;
        }
        segments.add(new Segment(number, path, LogFormat.SEGMENT_HEADER_BYTES, nowMillis));
        bytes.held.addAndGet(LogFormat.SEGMENT_HEADER_BYTES);
        out = file;
        return file;
    }

    private void closeOut() throws IOException {
        RandomAccessFile file = out;
        out = null;
        outIdentity = null;
        if (file != null) {
            file.close();
        }
    }

    synchronized HintLog.Batch oldest(int maxBytes) {
        while (!segments.isEmpty()) {
            Segment first = segments.getFirst();
            try {
                List<Entry> entries = new ArrayList<>();
                long end = read(first, maxBytes, entries);
                if (!entries.isEmpty()) {
                    return new HintLog.Batch(entries, (first.number << OFFSET_BITS) | end);
                }
                removeFirst();
            } catch (LogFormat.Malformed e) {
                LOG.warn(
                        "{} is damaged at or behind byte {}: {}; the rest of it is dropped",
                        first.file,
                        delivered,
                        e.getMessage());
                drop(first);
            } catch (FileNotFoundException | EOFException e) {
                LOG.warn("{} is gone or cut off ({}): its hints are dropped", first.file, e.toString());
                drop(first);
            } catch (IOException e) {
                throw new StoreException(first.file + " cannot be read (" + e + ")", e);
            }
        }
        return new HintLog.Batch(List.of(), 0);
    }

    /** Reads frames until there are enough. Returns where the next one begins. */
    private long read(Segment segment, int maxBytes, List<Entry> into) throws IOException, LogFormat.Malformed {
        long position = delivered;
        long limit = position + maxBytes;
        try (RandomAccessFile in = new RandomAccessFile(segment.file.toFile(), "r")) {
            if (segment.length < LogFormat.SEGMENT_HEADER_BYTES) {
                return position;
            }
            byte[] header = new byte[LogFormat.SEGMENT_HEADER_BYTES];
            in.readFully(header);
            LogFormat.checkSegmentHeader(header, segment.number);
            while (position < segment.length) {
                long next;
                try {
                    next = readFrame(in, segment, position, limit, into);
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
    private static long readFrame(RandomAccessFile in, Segment segment, long position, long limit, List<Entry> into)
            throws IOException, LogFormat.Malformed {
        long remaining = segment.length - position;
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
        int length = LogFormat.payloadLength(header);
        long end = position + LogFormat.FRAME_HEADER_BYTES + length + LogFormat.FRAME_TRAILER_BYTES;
        if (end > segment.length || (end > limit && !into.isEmpty())) {
            return position;
        }
        if (length <= PIECE_BYTES) {
            byte[] payload = new byte[length];
            in.readFully(payload);
            requireChecksum(header, LogFormat.crc(payload, 0, length));
            LogFormat.readRecords(payload, length, into);
        } else {
            readLargeFrame(in, header, length, into);
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

    synchronized void delivered(long end) {
        long number = end >>> OFFSET_BITS;
        long offset = end & ((1L << OFFSET_BITS) - 1);
        while (!segments.isEmpty() && segments.getFirst().number < number) {
            removeFirst();
        }
        if (!segments.isEmpty() && segments.getFirst().number == number) {
            delivered = Math.max(delivered, offset);
            if (delivered >= segments.getFirst().length) {
                removeFirst();
            }
        }
    }

    synchronized long expire(long beforeMillis) {
        long forgotten = 0;
        try {
            while (!segments.isEmpty() && segments.getFirst().lastMillis < beforeMillis) {
                forgotten += segments.getFirst().length;
                removeFirst();
            }
        } catch (StoreException e) {
            // It is forgotten, at least until a restart, and the caller does not learn how much.
            bytes.lost.addAndGet(forgotten);
            throw e;
        }
        return forgotten;
    }

    private void drop(Segment segment) {
        if (!segments.isEmpty() && segments.getFirst() == segment) {
            bytes.lost.addAndGet(Math.max(0, segment.length - delivered));
            removeFirst();
        }
    }

    private void removeFirst() {
        Segment first = segments.removeFirst();
        bytes.held.addAndGet(-first.length);
        delivered = LogFormat.SEGMENT_HEADER_BYTES;
        try {
            if (segments.isEmpty()) {
                closeOut();
            }
            Files.deleteIfExists(first.file);
        } catch (IOException e) {
            throw new StoreException(
                    first.file + " cannot be deleted (" + e + "); its hints will be handed over again", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            closeOut();
        } catch (IOException e) {
            throw new StoreException("hints in " + directory + " cannot be closed (" + e + ")", e);
        }
    }
}
