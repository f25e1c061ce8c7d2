package io.dht4j.core.internal.view;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the current view of a member. Safe for use by any number of threads.
 *
 * <p>A view is installed under the exclusive side of a lock. Its shared side is held while entries are checked and
 * applied to the store. So a write is either in the store before the installation, or checked against the new view.
 */
public final class Views {

    private static final Logger LOG = LoggerFactory.getLogger(Views.class);

    private final ReentrantReadWriteLock applying = new ReentrantReadWriteLock();
    private final DivergedPartitions diverged;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /** Serializes installations. */
    private final Object installing = new Object();

    private volatile ClusterView current;

    /** The reason why the node cannot follow newer views; empty if it can. */
    private volatile String obstacle = "";

    /** Receives each view once it is installed. */
    @FunctionalInterface
    public interface Listener {

        /**
         * A view is installed. Calls are made one after the other, in the order of the views; must not block.
         *
         * @param before the previous view
         * @param now the current view
         */
        void installed(ClusterView before, ClusterView now);
    }

    /**
     * Creates a holder of a node that never diverges.
     *
     * @param first the first view
     */
    public Views(ClusterView first) {
        this(first, DivergedPartitions.none());
    }

    /**
     * Creates a holder.
     *
     * @param first the first view
     * @param diverged the partitions in which this node has diverged
     */
    public Views(ClusterView first, DivergedPartitions diverged) {
        this.current = first;
        this.diverged = diverged;
    }

    /**
     * Returns the current view. One volatile read.
     *
     * @return the view that was installed last
     */
    public ClusterView current() {
        return current;
    }

    /** Returns the partitions in which this node has diverged. */
    public DivergedPartitions diverged() {
        return diverged;
    }

    /**
     * Returns why this node cannot follow newer views, one line for people; empty if no reason is known.
     *
     * @return the reason of the last {@link #cannotFollow} since the last view was installed
     */
    public String obstacle() {
        return obstacle;
    }

    /**
     * Records that a newer view cannot be installed, until one is.
     *
     * @param why one line for people
     */
    public void cannotFollow(String why) {
        obstacle = why;
    }

    /**
     * Returns the lock of writes.
     *
     * @return its shared side is held while entries are checked and applied to the store; its exclusive side, for a
     *     short time, while a view is installed
     */
    public ReentrantReadWriteLock applying() {
        return applying;
    }

    /**
     * Adds a listener of later views.
     *
     * @param listener its exceptions are logged, and do not affect other listeners
     */
    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Installs a view if it is newer than the current one. Blocks until the store has applied the writes in flight, so
     * call it on store threads. On return no write is applied under an older view, and all listeners have the view.
     *
     * @param newer a view of the same member and the same number of partitions
     * @return false if it is not newer
     * @throws IllegalArgumentException if it is of another member, or has another number of partitions
     */
    public boolean install(ClusterView newer) {
        synchronized (installing) {
            ClusterView before = current;
            if (!newer.self().equals(before.self()) || newer.partitions() != before.partitions()) {
                throw new IllegalArgumentException("a view of " + newer.self() + " with " + newer.partitions()
                        + " partitions cannot follow one of " + before.self() + " with " + before.partitions());
            }
            if (newer.epoch() <= before.epoch()) {
                return false;
            }
            applying.writeLock().lock();
            try {
                current = newer;
                obstacle = "";
            } finally {
                applying.writeLock().unlock();
            }
            for (Listener listener : listeners) {
                try {
                    listener.installed(before, newer);
                } catch (RuntimeException | Error e) {
                    LOG.error(
                            "a component of this node does not follow the topology of epoch {}",
                            Epoch.text(newer.epoch()),
                            e);
                }
            }
            return true;
        }
    }
}
