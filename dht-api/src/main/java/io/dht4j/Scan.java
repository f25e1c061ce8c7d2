package io.dht4j;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A running scan, which brings entries in pages in ascending order of their keys. Each page is requested explicitly,
 * which provides back-pressure: a scan holds a bounded number of bytes regardless of its range. An abandoned scan holds
 * no resources; {@link #close()} only stops running work.
 *
 * <p>Calls of one scan must not overlap: the next page may be requested when the last one has completed.
 */
public interface Scan extends AutoCloseable {

    /**
     * Requests the next page. Does not block. The timeout of the scan's options applies to each page. Within a page it
     * starts again whenever the replicas have sent a part of it, so a long range of deleted entries takes longer.
     *
     * <p>After a failure the scan is over. All calls until {@link #close()} then fail in the same way, since an empty
     * list would mean the end of the range.
     *
     * @return a stage that completes with the next entries, at least one, or with an empty list at the end of the scan;
     *     fails with a {@link DhtException}
     */
    CompletionStage<List<KeyValue>> next();

    /**
     * Returns the number of bytes of values that the scan holds for further pages. May be called between two pages
     * only.
     *
     * @return bytes; 0 by default
     */
    default long heldBytes() {
        return 0;
    }

    /** Ends the scan. Later calls of {@link #next()} return an empty list. Does not block; may be called repeatedly. */
    @Override
    void close();

    /**
     * Requests every page and passes each entry to a consumer, one at a time. Does not block.
     *
     * @param consumer called for every entry in order, on the thread that completes the page; it must not block. If it
     *     throws, the scan is closed
     * @return a stage that completes after the last entry; fails as {@link #next()} does, or with the consumer's
     *     exception
     */
    default CompletionStage<Void> forEach(Consumer<? super KeyValue> consumer) {
        Objects.requireNonNull(consumer, "consumer");
        CompletableFuture<Void> done = new CompletableFuture<>();
        ScanLoop.run(this, consumer, done);
        return done;
    }
}
