package io.dht4j.store.hints;

import io.dht4j.spi.Entry;
import io.dht4j.spi.FileFailure;
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

    /** The size at which a segment accepts no further frames; its hints are deleted together. */
    private static final long SEGMENT_BYTES = 4L << 20;

    /** The age of the first frame at which a segment accepts no further frames; its hints expire together. */
    private static final long SEGMENT_MILLIS = 10 * 60 * 1000L;

    /** The least interval between checks of the file; hints kept since the last one may be lost with a removed file. */
    static final long UNCHECKED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int OFFSET_BITS = 32;

    private final Path directory;
    private final HintBytes bytes;
    // Guarded by this.
    private final Deque<HintSegment> segments = new ArrayDeque<>();
    private @Nullable RandomAccessFile out;
    private @Nullable FileIdentity outIdentity;
    private long checkedNanos;
    private long nextNumber = 1;
    private boolean closed;
    /** The position in the first segment up to which it was delivered. */
    private long delivered = LogFormat.SEGMENT_HEADER_BYTES;

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
        List<HintSegment> found = new ArrayList<>();
        for (Path file : files) {
            Matcher matcher = SEGMENT_FILE.matcher(String.valueOf(file.getFileName()));
            if (matcher.matches()) {
                found.add(new HintSegment(
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

    private synchronized void take(List<HintSegment> found) {
        for (HintSegment segment : found) {
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
            throw new StoreException("hints cannot be kept in " + directory + " (" + FileFailure.inWords(e) + ")", e);
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
        HintSegment segment = segments.getLast();
        try {
            if (length <= HintSegment.PIECE_BYTES) {
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
            for (int from = part.position(); from < part.limit(); from += HintSegment.PIECE_BYTES) {
                file.write(
                        part.array(),
                        part.arrayOffset() + from,
                        Math.min(HintSegment.PIECE_BYTES, part.limit() - from));
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
        HintSegment gone = segments.removeLast();
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
        segments.add(new HintSegment(number, path, LogFormat.SEGMENT_HEADER_BYTES, nowMillis));
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
            HintSegment first = segments.getFirst();
            try {
                List<Entry> entries = new ArrayList<>();
                long end = first.read(delivered, maxBytes, entries);
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
                LOG.warn("{} is gone or cut off ({}): its hints are dropped", first.file, FileFailure.inWords(e));
                drop(first);
            } catch (IOException e) {
                throw new StoreException(first.file + " cannot be read (" + FileFailure.inWords(e) + ")", e);
            }
        }
        return new HintLog.Batch(List.of(), 0);
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

    private void drop(HintSegment segment) {
        if (!segments.isEmpty() && segments.getFirst() == segment) {
            bytes.lost.addAndGet(Math.max(0, segment.length - delivered));
            removeFirst();
        }
    }

    private void removeFirst() {
        HintSegment first = segments.removeFirst();
        bytes.held.addAndGet(-first.length);
        delivered = LogFormat.SEGMENT_HEADER_BYTES;
        try {
            if (segments.isEmpty()) {
                closeOut();
            }
            Files.deleteIfExists(first.file);
        } catch (IOException e) {
            throw new StoreException(
                    first.file + " cannot be deleted (" + FileFailure.inWords(e)
                            + "); its hints will be handed over again",
                    e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            closeOut();
        } catch (IOException e) {
            throw new StoreException("hints in " + directory + " cannot be closed (" + FileFailure.inWords(e) + ")", e);
        }
    }
}
