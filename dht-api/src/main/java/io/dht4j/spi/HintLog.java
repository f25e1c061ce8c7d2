package io.dht4j.spi;

import io.dht4j.NodeId;
import java.util.List;
import java.util.Set;

/**
 * A node's hints: writes that replicas (possibly the node itself) missed, stored until their delivery. A hint is an
 * entry with its original version, so repeated delivery is harmless: after a restart a log may return delivered hints
 * again. Hints speed up the convergence of replicas; no guarantee depends on them.
 *
 * <p>Methods block, as file access does. The core calls them on its store threads, sequentially for each target node.
 * Safe for use by any number of threads. An interrupt of a calling thread must not damage the log. After
 * {@link #close()} every method throws a {@link StoreException}.
 */
public interface HintLog extends AutoCloseable {

    /**
     * A batch of hints for a node, oldest first.
     *
     * @param entries the entries as written; none if there are no hints
     * @param end the position of the batch's end, for {@link #delivered}; opaque to callers
     */
    record Batch(List<Entry> entries, long end) {

        /** Keeps an unmodifiable copy. */
        public Batch {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Adds entries for a node. On return the entries in a durable log survive the end of the process.
     *
     * @param target the node that missed them
     * @param entries one or more
     * @param nowMillis the wall clock in milliseconds since 1970, for {@link #expire}
     * @return false if there is no room; then none was added
     * @throws StoreException if they cannot be written
     */
    boolean add(NodeId target, List<Entry> entries, long nowMillis);

    /**
     * Returns the nodes that have hints.
     *
     * @return a copy
     * @throws StoreException if the log is closed
     */
    Set<NodeId> targets();

    /**
     * Returns the oldest undelivered hints for a node.
     *
     * @param target the node
     * @param maxBytes the largest estimated size, but at least one hint is returned if there is one
     * @return entries in the order in which they were added
     * @throws StoreException if they cannot be read; the next call skips damaged hints, and they count as
     *     {@linkplain #lostBytes lost}
     */
    Batch oldest(NodeId target, int maxBytes);

    /**
     * Removes delivered hints.
     *
     * @param target the node
     * @param batch the last one that {@link #oldest} returned for it
     * @throws StoreException if they cannot be removed; they may be returned again
     */
    void delivered(NodeId target, Batch batch);

    /**
     * Removes old hints. A log may keep some old hints for a few minutes longer if they are stored with newer ones.
     *
     * @param beforeMillis hints of this time or later stay, in milliseconds since 1970
     * @return how many bytes were removed
     * @throws StoreException if not all can be removed; those that were count as {@linkplain #lostBytes lost}
     */
    long expire(long beforeMillis);

    /**
     * Returns the number of lost bytes since the log was opened: hints that are gone, but were neither delivered nor
     * counted by {@link #expire}. Quick.
     *
     * @return estimated bytes, 0 or more, never decreasing; by default 0, for logs that lose nothing
     */
    default long lostBytes() {
        return 0;
    }

    /**
     * Returns the size of the log. Quick.
     *
     * @return bytes, 0 or more
     */
    long bytes();

    /**
     * Releases files. May be called repeatedly.
     *
     * @throws StoreException if pending data could not be written
     */
    @Override
    void close();
}
