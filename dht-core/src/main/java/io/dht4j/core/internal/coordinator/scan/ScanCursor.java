package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** One replica's part of a scan: the current page, and the start of the next one. For one thread at a time. */
final class ScanCursor {

    final Node node;
    final PartitionSet partitions;
    private final Deque<Entry> buffer = new ArrayDeque<>();
    private final Optional<Key> end;
    private Optional<Key> resume;
    private long heldBytes;

    ScanCursor(Node node, PartitionSet partitions, KeyRange range) {
        this.node = node;
        this.partitions = partitions;
        this.resume = Optional.of(range.start());
        this.end = range.end();
    }

    /** Returns the rest of the range, if the current page is used up and there is a rest. */
    Optional<KeyRange> missing() {
        return buffer.isEmpty() ? resume.map(start -> new KeyRange(start, end)) : Optional.empty();
    }

    boolean needsPage() {
        return buffer.isEmpty() && resume.isPresent();
    }

    void fill(Reply.Page page) {
        buffer.addAll(page.entries());
        heldBytes += page.valueBytes();
        resume = page.resume();
    }

    boolean hasEntry() {
        return !buffer.isEmpty();
    }

    Key headKey() {
        return buffer.getFirst().key();
    }

    Entry take() {
        Entry first = buffer.removeFirst();
        heldBytes -= first.value().length;
        return first;
    }

    /** Returns the number of bytes of the values of the current page. */
    long heldBytes() {
        return heldBytes;
    }
}
