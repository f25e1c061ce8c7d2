package io.dht4j;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A running scan. Entries come in pages, in ascending order of their keys, and only when they are asked for: pulling is
 * the back-pressure, so a scan holds a bounded number of bytes however large its range is. Nothing has to be released
 * when a scan is abandoned; {@link #close()} only stops work that is under way.
 *
 * <p>Calls of one scan must not overlap: ask for the next page when the last has come.
 */
public interface Scan extends AutoCloseable {

    /**
     * Asks for the next page. Does not block. The timeout of the scan's options counts for each page again, and within
     * a page whenever the replicas have brought a part of it: a long range of deleted entries takes longer.
     *
     * @return completes with the next entries, at least one, or with an empty list when the scan has ended; fails with
     *     a {@link DhtException}, after which the scan is over: until it is closed, later calls fail in the same way,
     *     since an empty list would tell that there is nothing more
     */
    CompletionStage<List<KeyValue>> next();

    /**
     * How many bytes of values this holds for further pages, besides what it has handed out. To be called between two
     * pages.
     *
     * @return bytes; 0 by default
     */
    default long heldBytes() {
        return 0;
    }

    /** Ends the scan: later calls of {@link #next()} return an empty list. Does not block; may be called repeatedly. */
    @Override
    void close();

    /**
     * Pulls every page and hands each entry to a consumer, one at a time. Does not block.
     *
     * @param consumer called for every entry in order, on whichever thread brings the page; it must not block. If it
     *     throws, the scan is closed
     * @return completes when the last entry was handed over; fails as {@link #next()} does, or with what the consumer
     *     threw
     */
    default CompletionStage<Void> forEach(Consumer<? super KeyValue> consumer) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        ScanPump.pump(this, consumer, done);
        return done;
    }
}
