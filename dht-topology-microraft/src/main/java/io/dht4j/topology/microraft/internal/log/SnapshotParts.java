package io.dht4j.topology.microraft.internal.log;

import io.microraft.model.log.SnapshotChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Collects the parts of the snapshot that is being received or taken, in any order. Used by one thread at a time. */
final class SnapshotParts {

    private final TreeMap<Integer, SnapshotChunk> parts = new TreeMap<>();

    private boolean isOf(long index) {
        return !parts.isEmpty() && parts.firstEntry().getValue().getIndex() == index;
    }

    /**
     * Adds a part, and drops those of another snapshot.
     *
     * @return all parts in order once they are complete; before, none
     */
    List<SnapshotChunk> add(SnapshotChunk part) {
        if (!isOf(part.getIndex())) {
            parts.clear();
        }
        parts.put(part.getSnapshotChunkIndex(), part);
        if (parts.size() < part.getSnapshotChunkCount()) {
            return List.of();
        }
        List<SnapshotChunk> all = new ArrayList<>(parts.values());
        parts.clear();
        return all;
    }

    /** Returns whether a part is the last one that misses of its snapshot. */
    boolean completes(SnapshotChunk part) {
        boolean same = isOf(part.getIndex());
        int others = same ? parts.size() : 0;
        return others + 1 == part.getSnapshotChunkCount() && !(same && parts.containsKey(part.getSnapshotChunkIndex()));
    }

    /** Drops the parts of a snapshot. */
    void drop(long index) {
        if (isOf(index)) {
            parts.clear();
        }
    }
}
