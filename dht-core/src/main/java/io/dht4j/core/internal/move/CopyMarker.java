package io.dht4j.core.internal.move;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Records in the store's metadata which copies have begun: for each batch the partitions whose content here is a part
 * of its copy. The content of a partition without a mark is from earlier. Methods block; safe for use by any number of
 * threads.
 */
final class CopyMarker {

    /** A name on disk. */
    private static final String NOTE = "incoming";

    private final Store store;
    private final NodeId self;
    // Guarded by this.
    private final Map<Long, PartitionSet> marks = new HashMap<>();

    CopyMarker(Store store, NodeId self) {
        this.store = store;
        this.self = self;
    }

    /**
     * Reads the marks.
     *
     * @throws IllegalStateException if they cannot be read. Without them this node would drop entries that it has
     *     acknowledged in place of a dead member
     */
    synchronized void load() {
        try {
            store.note(NOTE).ifPresent(note -> read(ByteBuffer.wrap(note)));
        } catch (StoreException | BufferUnderflowException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "node " + self + " cannot read which copies of partitions it has begun (" + e
                            + "): repair its disk or restore the data directory; if that is not possible, start " + self
                            + " with an empty one and " + Remedies.replace(self),
                    e);
        }
    }

    private void read(ByteBuffer in) {
        while (in.hasRemaining()) {
            long batch = in.getLong();
            int length = in.getInt();
            if (length < 0 || length > Math.min(in.remaining(), PartitionSet.MAX_BYTES)) {
                throw new IllegalArgumentException(length + " bytes of partitions");
            }
            byte[] partitions = new byte[length];
            in.get(partitions);
            marks.put(batch, PartitionSet.parse(partitions));
        }
    }

    /** Returns the partitions of a batch whose copies have begun. */
    synchronized PartitionSet of(long batch) {
        return marks.getOrDefault(batch, PartitionSet.empty());
    }

    /**
     * Marks partitions, and forgets batches that have ended. The marks are on the disk when this returns.
     *
     * @throws StoreException if they cannot be stored
     */
    synchronized void add(long batch, PartitionSet partitions, Set<Long> underWay) {
        Map<Long, PartitionSet> next = new HashMap<>(marks);
        next.keySet().retainAll(underWay);
        next.put(batch, partitions);
        int size = next.values().stream()
                .mapToInt(each -> Long.BYTES + Integer.BYTES + each.encodedSize())
                .sum();
        ByteBuffer out = ByteBuffer.allocate(size);
        next.forEach((id, each) -> {
            byte[] bytes = each.toBytes();
            out.putLong(id).putInt(bytes.length).put(bytes);
        });
        store.keepNote(NOTE, out.array());
        marks.clear();
        marks.putAll(next);
    }
}
