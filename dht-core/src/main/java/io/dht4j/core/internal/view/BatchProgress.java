package io.dht4j.core.internal.view;

import io.dht4j.core.internal.placement.PartitionSet;
import java.util.List;
import java.util.Optional;

/**
 * The progress of a node in taking over the slots of a batch, as it reports it to the driver of moves.
 *
 * @param batch the id of the batch
 * @param complete the partitions that the node holds completely and durably; only these may be read from it later
 * @param copiedBytes the bytes of entries received until now, 0 or more
 * @param totalBytes the expected total bytes of entries, an estimate; 0 if unknown
 * @param waitsFor what the node waits for, for people; empty if it makes progress
 */
public record BatchProgress(
        long batch, PartitionSet complete, long copiedBytes, long totalBytes, Optional<String> waitsFor) {

    /** Reports the batches that a node takes over. Safe for use by any number of threads; does not block. */
    @FunctionalInterface
    public interface Reporter {

        /** Returns the progress of each batch whose slots this node takes over in its installed view. */
        List<BatchProgress> progress();
    }
}
