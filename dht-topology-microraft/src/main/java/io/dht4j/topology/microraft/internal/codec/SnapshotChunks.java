package io.dht4j.topology.microraft.internal.codec;

import io.dht4j.spi.TopologyLog;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Cuts snapshots into parts that fit into a message, and joins them. */
public final class SnapshotChunks {

    private SnapshotChunks() {}

    /**
     * Passes a snapshot on in parts, at least one.
     *
     * @throws IllegalStateException if it is larger than {@link TopologyLog#MAX_SNAPSHOT_BYTES}
     */
    public static void cut(byte[] snapshot, Consumer<Object> parts) {
        if (snapshot.length > TopologyLog.MAX_SNAPSHOT_BYTES) {
            throw new IllegalStateException(
                    "the snapshot has " + snapshot.length + " bytes, more than " + TopologyLog.MAX_SNAPSHOT_BYTES);
        }
        int from = 0;
        do {
            int to = Math.min(snapshot.length, from + Entries.CHUNK_BYTES);
            parts.accept(Arrays.copyOfRange(snapshot, from, to));
            from = to;
        } while (from < snapshot.length);
    }

    /** Joins the parts of a snapshot. */
    public static byte[] join(List<Object> parts) {
        byte[] whole =
                new byte[parts.stream().mapToInt(part -> ((byte[]) part).length).sum()];
        int at = 0;
        for (Object part : parts) {
            byte[] bytes = (byte[]) part;
            System.arraycopy(bytes, 0, whole, at, bytes.length);
            at += bytes.length;
        }
        return whole;
    }
}
