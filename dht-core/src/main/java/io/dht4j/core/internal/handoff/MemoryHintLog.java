package io.dht4j.core.internal.handoff;

import io.dht4j.NodeId;
import io.dht4j.spi.Entry;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A log of hints in memory, which ends with the process. Safe for use by any number of threads; blocks only briefly.
 */
public final class MemoryHintLog implements HintLog {

    /** The estimated memory of a hint without its bytes. */
    private static final int OVERHEAD = 64;

    private final long maxBytes;
    // Guarded by this.
    private final Map<NodeId, Deque<Hint>> hints = new HashMap<>();
    private long bytes;
    private long numbers;
    private boolean closed;

    private record Hint(Entry entry, long number, long keptMillis) {

        long bytes() {
            return OVERHEAD + entry.bytes();
        }
    }

    /**
     * Creates an empty log.
     *
     * @param maxBytes its maximum size, estimated
     */
    public MemoryHintLog(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    @Override
    public synchronized boolean add(NodeId target, List<Entry> entries, long nowMillis) {
        checkOpen();
        List<Hint> added = new ArrayList<>(entries.size());
        long more = 0;
        for (Entry entry : entries) {
            Hint hint = new Hint(entry, ++numbers, nowMillis);
            added.add(hint);
            more += hint.bytes();
        }
        if (bytes + more > maxBytes) {
            return false;
        }
        hints.computeIfAbsent(target, node -> new ArrayDeque<>()).addAll(added);
        bytes += more;
        return true;
    }

    @Override
    public synchronized Set<NodeId> targets() {
        checkOpen();
        return Collections.unmodifiableSet(new TreeSet<>(hints.keySet()));
    }

    @Override
    public synchronized Batch oldest(NodeId target, int maxBytes) {
        checkOpen();
        List<Entry> entries = new ArrayList<>();
        long end = 0;
        long room = maxBytes;
        for (Hint hint : hints.getOrDefault(target, new ArrayDeque<>())) {
            room -= hint.bytes();
            if (room < 0 && !entries.isEmpty()) {
                break;
            }
            entries.add(hint.entry());
            end = hint.number();
        }
        return new Batch(entries, end);
    }

    @Override
    public synchronized void delivered(NodeId target, Batch batch) {
        checkOpen();
        Deque<Hint> kept = hints.get(target);
        while (kept != null && !kept.isEmpty() && kept.getFirst().number() <= batch.end()) {
            bytes -= kept.removeFirst().bytes();
        }
        hints.values().removeIf(Deque::isEmpty);
    }

    @Override
    public synchronized long expire(long beforeMillis) {
        checkOpen();
        long before = bytes;
        for (Deque<Hint> kept : hints.values()) {
            while (!kept.isEmpty() && kept.getFirst().keptMillis() < beforeMillis) {
                bytes -= kept.removeFirst().bytes();
            }
        }
        hints.values().removeIf(Deque::isEmpty);
        return before - bytes;
    }

    @Override
    public synchronized long bytes() {
        return bytes;
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreException("the log of hints in memory is closed");
        }
    }

    /** Removes all hints, which end with their node. */
    @Override
    public synchronized void close() {
        closed = true;
        hints.clear();
        bytes = 0;
    }
}
