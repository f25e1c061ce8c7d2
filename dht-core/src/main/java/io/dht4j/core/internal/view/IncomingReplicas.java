package io.dht4j.core.internal.view;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Tracks the partitions in which this node takes over a slot, and the progress. An incoming partition is closed at
 * first. It opens to writes when its copy begins, and counts as a whole replica when the copy is complete. Both hold
 * for one version of its row, so a later move of the same slot begins closed again, and so does a node that restarts.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class IncomingReplicas {

    private final Views views;
    /** The row versions at which copies have begun. */
    private final AtomicLongArray begun;
    /** The row versions at which copies are complete. */
    private final AtomicLongArray complete;

    /** The access of a request to a partition. */
    public enum Access {
        /**
         * Applies entries. Refused until the copy begins: before, this node does not know which entries its owner
         * refuses.
         */
        WRITE,
        /** Reads keys or a range. Refused until the copy is complete. */
        READ
    }

    /**
     * Creates an object in which no copy has begun.
     *
     * @param views the views of this node
     */
    public IncomingReplicas(Views views) {
        this.views = views;
        this.begun = new AtomicLongArray(views.current().partitions());
        this.complete = new AtomicLongArray(begun.length());
    }

    /** Returns whether a partition may lack entries in the current view. */
    public boolean isIncomplete(int partition) {
        return isIncomplete(views.current(), partition);
    }

    /** Returns whether some partition may lack entries in a view. Quick in a static cluster. */
    public boolean isAnyIncomplete(ClusterView view) {
        return !view.incoming().isEmpty() && view.incoming().stream().anyMatch(each -> isIncomplete(view, each));
    }

    private boolean isIncomplete(ClusterView view, int partition) {
        return view.incoming().contains(partition) && complete.get(partition) != view.rowVersion(partition);
    }

    /**
     * Returns whether a request with a view is refused.
     *
     * @param view the current view, whose rows are those of the request
     * @param partition the partition
     * @param access the access of the request
     */
    public boolean refuses(ClusterView view, int partition, Access access) {
        if (!isIncomplete(view, partition)) {
            return false;
        }
        return access == Access.READ || !hasBegun(view, partition);
    }

    /**
     * Opens a partition to writes.
     *
     * @param partition the partition
     * @param rowVersion the version of its row for which that holds
     */
    public void begin(int partition, long rowVersion) {
        begun.set(partition, rowVersion);
    }

    /**
     * Opens a partition as a whole replica.
     *
     * @param partition the partition
     * @param rowVersion the version of its row for which that holds
     */
    public void complete(int partition, long rowVersion) {
        complete.set(partition, rowVersion);
    }

    /** Returns whether the copy of a partition has begun in a view. */
    public boolean hasBegun(ClusterView view, int partition) {
        return begun.get(partition) == view.rowVersion(partition);
    }

    /** Returns whether the copy of an incoming partition is complete in a view. */
    public boolean isComplete(ClusterView view, int partition) {
        return view.incoming().contains(partition) && complete.get(partition) == view.rowVersion(partition);
    }
}
