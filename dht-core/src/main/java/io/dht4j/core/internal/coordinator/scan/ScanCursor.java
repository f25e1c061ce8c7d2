package io.dht4j.core.internal.coordinator.scan;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Optional;

/** One replica's part of a scan: the page at hand, and where the next one starts. For one thread at a time. */
final class ScanCursor {

    final Node node;
    final BitSet partitions;
    private final Deque<Entry> buffer = new ArrayDeque<>();
    private final Optional<Key> end;
    private Optional<Key> resume;
    private long heldBytes;

    ScanCursor(Node node, BitSet partitions, KeyRange range) {
        this.node = node;
        this.partitions = partitions;
        this.resume = Optional.of(range.start());
        this.end = range.end();
    }

    /** The rest of the range, if the page at hand is used up and there is a rest. */
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

    /** How many bytes of values are at hand. */
    long heldBytes() {
        return heldBytes;
    }
}
