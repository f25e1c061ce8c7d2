package io.dht4j.spi;

import io.dht4j.NodeId;
import java.util.List;
import java.util.Set;

/**
 * Where a node keeps the writes that nodes missed, itself among them, until it can hand them over. A hint is an entry
 * as it was written, with its version, so it does no harm to hand one over twice: after a restart a log may show again
 * what had been delivered. Hints help replicas to catch up sooner; losing some breaks no promise.
 *
 * <p>Methods block, as files do; the core calls them on its store threads, for one node one after the other. Safe for
 * use by any number of threads. An interrupt of a calling thread must do no harm. After {@link #close()} every method
 * throws a {@link StoreException}.
 */
public interface HintLog extends AutoCloseable {

    /**
     * Hints for a node, oldest first.
     *
     * @param entries as they were written; none if there are no hints
     * @param end says {@link #delivered} how far they reach; of use to the log only
     */
    record Batch(List<Entry> entries, long end) {

        /** Keeps an unmodifiable copy. */
        public Batch {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Keeps entries for a node. On return those of a durable log survive the end of the process.
     *
     * @param target the node that missed them
     * @param entries one or more
     * @param nowMillis the wall clock in milliseconds since 1970, for {@link #expire}
     * @return false if there is no room for them: none was kept
     * @throws StoreException if they cannot be kept
     */
    boolean add(NodeId target, List<Entry> entries, long nowMillis);

    /**
     * The nodes that there are hints for.
     *
     * @return a copy
     * @throws StoreException if the log is closed
     */
    Set<NodeId> targets();

    /**
     * The oldest hints for a node that were not delivered.
     *
     * @param target the node
     * @param maxBytes no more than this, by estimate, but at least one if there is one
     * @return entries in the order in which they were kept
     * @throws StoreException if they cannot be read; what is damaged is then skipped by the next call, and
     *     {@linkplain #lostBytes lost}
     */
    Batch oldest(NodeId target, int maxBytes);

    /**
     * Forgets hints that were handed over.
     *
     * @param target the node
     * @param batch the last one that {@link #oldest} gave for it
     * @throws StoreException if they cannot be forgotten; they may be shown again
     */
    void delivered(NodeId target, Batch batch);

    /**
     * Forgets hints that were kept long ago. A log may keep some for some minutes longer that stand beside newer ones.
     *
     * @param beforeMillis hints of this moment or later stay, in milliseconds since 1970
     * @return how many bytes were forgotten
     * @throws StoreException if not all can be forgotten; those that were count as {@linkplain #lostBytes lost}
     */
    long expire(long beforeMillis);

    /**
     * How much has been lost since the log was opened: hints that are gone, though they were neither delivered nor
     * among what {@link #expire} returned. Quick.
     *
     * @return bytes by estimate, 0 or more, never less than before; by default 0, for logs that lose nothing
     */
    default long lostBytes() {
        return 0;
    }

    /**
     * How much there is. Quick.
     *
     * @return bytes, 0 or more
     */
    long bytes();

    /**
     * Releases files. May be called repeatedly.
     *
     * @throws StoreException if something could not be written
     */
    @Override
    void close();
}
