package io.dht4j.core.internal.handoff;

import io.dht4j.Node;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes the hints for one node to the log, on one store thread at a time. Hints that arrive during a write are
 * gathered and written together. Large groups are split, so that a batch of hints is never much larger than its limit.
 * Does not block; safe for use by any number of threads.
 */
final class HintWriter {

    /** The maximum size of a group that is written together; a larger entry is written alone. */
    private static final long GROUP_BYTES = 64 << 10;

    private final Handoff handoff;
    private final Node node;
    private final Admission waiting;
    private final Queue<Missed> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();

    /** The entries of one write that the node missed. */
    private record Missed(List<Entry> entries, long bytes) {}

    HintWriter(Handoff handoff, Node node, Admission waiting) {
        this.handoff = handoff;
        this.node = node;
        this.waiting = waiting;
    }

    /** Keeps entries. They have entered {@code waiting}, and leave it when they are in the log or dropped. */
    void write(List<Entry> entries, long bytes) {
        queue.add(new Missed(entries, bytes));
        if (queued.getAndIncrement() == 0) {
            writeLater();
        }
    }

    private void writeLater() {
        if (!handoff.onStoreThread(this::writeQueued)) {
            dropAll();
        }
    }

    private void writeQueued() {
        List<Missed> taken = new ArrayList<>();
        long bytes = 0;
        for (Missed next = queue.poll(); next != null; next = bytes < GROUP_BYTES ? queue.poll() : null) {
            taken.add(next);
            bytes += next.bytes();
        }
        List<Entry> group = new ArrayList<>();
        long size = 0;
        for (Missed each : taken) {
            for (Entry entry : each.entries()) {
                long more = entry.bytes();
                if (!group.isEmpty() && size + more > GROUP_BYTES) {
                    handoff.log(node, group);
                    group = new ArrayList<>();
                    size = 0;
                }
                group.add(entry);
                size += more;
            }
        }
        handoff.log(node, group);
        taken.forEach(each -> waiting.leave(each.bytes()));
        handoff.rested();
        if (queued.addAndGet(-taken.size()) > 0) {
            writeLater();
        }
    }

    private void dropAll() {
        for (Missed next = queue.poll(); next != null; next = queue.poll()) {
            queued.decrementAndGet();
            waiting.leave(next.bytes());
            handoff.drop(node, next.bytes(), "this node has closed");
        }
    }
}
