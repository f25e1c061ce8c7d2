package io.dht4j.core.internal.view;

import io.dht4j.core.internal.placement.PartitionSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Holds the partitions in which this node has diverged: it has served their former replicas, and perhaps dropped
 * entries, under agreed states that a recovery has discarded. This node's content of such a partition is incomplete,
 * and may be missing elsewhere. So the partition is closed until it has been compared with all its replicas, as after a
 * rollback of the disk, and no entry of it is purged or dropped before.
 *
 * <p>Marks are durable before the view of the recovered state is installed. Methods that change marks block; all are
 * safe for use by any number of threads.
 */
public final class DivergedPartitions {

    /** Stores the marks. */
    @FunctionalInterface
    public interface Keeper {

        /**
         * Stores marks in place of the previous ones. They are durable on return.
         *
         * @param epoch the epoch of the recovered state
         * @param partitions the partitions
         * @throws io.dht4j.spi.StoreException if the store fails
         */
        void keep(long epoch, PartitionSet partitions);
    }

    private final Keeper keeper;
    private final List<Consumer<PartitionSet>> listeners = new CopyOnWriteArrayList<>();

    // Changed under the lock of this, and read without.
    private volatile long epoch;
    private volatile PartitionSet marked;

    /**
     * Creates an object with the marks that are stored.
     *
     * @param keeper stores further ones
     * @param epoch the epoch of the recovered state; 0 if no partition is marked
     * @param marked the marked partitions
     */
    public DivergedPartitions(Keeper keeper, long epoch, PartitionSet marked) {
        this.keeper = keeper;
        this.epoch = epoch;
        this.marked = marked;
    }

    /** Returns an object without marks, which does not store any. */
    public static DivergedPartitions none() {
        return new DivergedPartitions((epoch, partitions) -> {}, 0, PartitionSet.empty());
    }

    /**
     * Adds a receiver of later marked partitions. It is called on the thread that installs the view of the divergence,
     * before the installation.
     */
    public void listen(Consumer<PartitionSet> listener) {
        listeners.add(listener);
    }

    /**
     * Marks further partitions. Blocks until that is durable and all listeners have returned. From then on
     * {@link #remove} ignores views that are older than the state, for all marks.
     *
     * @param recovered the epoch of the recovered state, which is installed next
     * @param partitions the partitions; if there are none, nothing changes
     * @throws io.dht4j.spi.StoreException if the store fails to keep the marks, which are not set then; or if a
     *     listener fails to store their consequences, and then the marks stay
     */
    public synchronized void add(long recovered, PartitionSet partitions) {
        if (!partitions.isEmpty()) {
            PartitionSet all = marked.union(partitions);
            keeper.keep(recovered, all);
            // First, for readers without the lock.
            epoch = recovered;
            marked = all;
            listeners.forEach(listener -> listener.accept(partitions));
        }
    }

    /**
     * Removes marks. Blocks until that is durable.
     *
     * @param view the view with whose replicas the partitions were compared. Marks for a later one stay
     * @param partitions the partitions
     * @return the partitions whose marks were removed
     * @throws io.dht4j.spi.StoreException if the store fails; then all marks stay
     */
    public synchronized PartitionSet remove(ClusterView view, PartitionSet partitions) {
        PartitionSet removed = marked.intersection(partitions);
        if (removed.isEmpty() || view.epoch() < epoch) {
            return PartitionSet.empty();
        }
        PartitionSet left = marked.minus(removed);
        keeper.keep(epoch, left);
        marked = left;
        return removed;
    }

    /** Returns the marked partitions. Does not block. */
    public PartitionSet all() {
        return marked;
    }

    /**
     * Returns whether a partition is marked for a later view than another one, so that results with the other view are
     * ignored. Does not block.
     */
    public boolean isPending(int partition, ClusterView view) {
        return marked.contains(partition) && view.epoch() < epoch;
    }

    /** Returns whether a partition is marked. Does not block. */
    public boolean contains(int partition) {
        return marked.contains(partition);
    }
}
