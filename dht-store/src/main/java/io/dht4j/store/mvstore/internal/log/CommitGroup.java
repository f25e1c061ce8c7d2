package io.dht4j.store.mvstore.internal.log;

import io.dht4j.spi.Entry;
import io.dht4j.store.log.LogFormat;
import io.dht4j.store.mvstore.internal.cache.EntryCache;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The requests that are written to the log as one frame. For the leader. */
final class CommitGroup {

    /** The size of a group, unless its first request is larger. */
    static final int MAX_BYTES = 1 << 20;

    private final ByteBuffer usualFrame = ByteBuffer.allocate(2 * MAX_BYTES);
    private final List<WriteRequest> requests = new ArrayList<>();
    private long bytes;

    /** Takes requests out of a queue, up to the size of a group. The group is empty before. */
    void takeFrom(Queue<WriteRequest> pending) {
        bytes = 0;
        WriteRequest next;
        while ((next = pending.peek()) != null && (requests.isEmpty() || bytes + next.bytes <= MAX_BYTES)) {
            // Added first: without memory for that, the request stays in the queue.
            requests.add(next);
            pending.remove();
            bytes += next.bytes;
        }
    }

    /** Returns the bytes of the entries in the log. */
    long bytes() {
        return bytes;
    }

    /** Returns whether the group has no entries. */
    boolean isEmpty() {
        return bytes == 0;
    }

    /** Returns whether a request is to freeze the active table. */
    boolean rotates() {
        for (WriteRequest request : requests) {
            if (request.entries.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the memory of the entries in a table. */
    long weight() {
        long weight = 0;
        for (WriteRequest request : requests) {
            for (Entry entry : request.entries) {
                weight += Memtable.weight(entry);
            }
        }
        return weight;
    }

    /** Puts the entries into the active table, and in place of older ones into the cache. */
    void applyTo(Consumer<Entry> table, EntryCache cache) {
        for (WriteRequest request : requests) {
            for (Entry entry : request.entries) {
                cache.apply(entry, table);
            }
        }
    }

    /** Appends the entries to a segment, as one frame. */
    void appendTo(SegmentWriter segment, boolean isForced) throws IOException {
        int frameBytes = Math.toIntExact(LogFormat.FRAME_HEADER_BYTES + bytes + LogFormat.FRAME_TRAILER_BYTES);
        if (frameBytes > usualFrame.capacity()) {
            List<Entry> entries = new ArrayList<>();
            requests.forEach(request -> entries.addAll(request.entries));
            segment.append(LogFormat.frame(entries, (int) bytes), isForced);
            return;
        }
        usualFrame.clear().position(LogFormat.FRAME_HEADER_BYTES);
        for (WriteRequest request : requests) {
            for (Entry entry : request.entries) {
                LogFormat.putRecord(usualFrame, entry);
            }
        }
        LogFormat.finishFrame(usualFrame);
        segment.append(usualFrame.array(), usualFrame.position(), isForced);
    }

    /** Completes the requests, and empties the group. Does not allocate, because there may be no memory. */
    void complete(@Nullable Throwable failure) {
        for (int i = 0; i < requests.size(); i++) {
            WriteRequest request = requests.get(i);
            request.failure = failure;
            request.done = true;
            if (request.thread != Thread.currentThread()) {
                LockSupport.unpark(request.thread);
            }
        }
        requests.clear();
    }
}
