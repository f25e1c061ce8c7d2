package io.dht4j.core.internal.repair.purge;

import static java.util.Objects.requireNonNull;

import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * The states of all partitions under the lock that writes share, and their durable copies. Safe for use by any number
 * of threads.
 */
final class DurableStates {

    private final PartitionStates states;
    private final ReentrantReadWriteLock lock;
    private final PurgeWatermarkFile file;

    /** Serializes writes of the metadata. */
    private final Object writing = new Object();

    /** The purge watermarks on the disk, for readers that do not wait for writes in flight. Replaced as a whole. */
    private volatile long[] purgedOnDisk;

    /** The fence watermarks, for readers that do not wait for writes in flight. Replaced as a whole. */
    private volatile long[] fenced;

    /** True after a start too, since the progress of the last purge is unknown. */
    private final AtomicBoolean purgeIsDue = new AtomicBoolean(true);

    /**
     * Creates states that are not loaded yet.
     *
     * @param store stores the watermarks
     * @param partitions the number of partitions
     * @param states the states, which are guarded by the lock
     */
    DurableStates(Store store, int partitions, PartitionStates states, ReentrantReadWriteLock lock) {
        this.states = states;
        this.lock = lock;
        this.file = new PurgeWatermarkFile(store);
        this.purgedOnDisk = new long[partitions];
        this.fenced = new long[partitions];
    }

    /**
     * Loads the watermarks from the store. Blocks.
     *
     * @param owns rollbacks of other partitions are forgotten; tested with the lock held
     * @throws StoreException if the store cannot read them
     */
    void load(IntPredicate owns) {
        long[] fences = new long[purgedOnDisk.length];
        long[] purged = new long[purgedOnDisk.length];
        long[] rolledBack = new long[purgedOnDisk.length];
        file.load(fences, purged, rolledBack);
        purgedOnDisk = change(all -> {
            for (int i = 0; i < rolledBack.length; i++) {
                rolledBack[i] = owns.test(i) ? rolledBack[i] : 0;
            }
            all.restore(fences, purged, rolledBack);
            return purged;
        });
    }

    <T> T change(Function<PartitionStates, T> change) {
        lock.writeLock().lock();
        try {
            T changed = change.apply(states);
            fenced = states.fences();
            return changed;
        } finally {
            lock.writeLock().unlock();
        }
    }

    <T> T read(Function<PartitionStates, T> query) {
        lock.readLock().lock();
        try {
            return query.apply(states);
        } finally {
            lock.readLock().unlock();
        }
    }

    int partitions() {
        return purgedOnDisk.length;
    }

    /** Returns a partition's purge watermark, as it is on the disk. Does not block. */
    Version purged(int partition) {
        return new Version(purgedOnDisk[partition]);
    }

    /** Returns a partition's fence watermark. Does not block. */
    Version fenced(int partition) {
        return new Version(fenced[partition]);
    }

    /** Writes all watermarks to the disk. Blocks. */
    void writeWatermarks() {
        synchronized (writing) {
            // Together, so that the purge watermarks on the disk do not exceed the fence watermarks either.
            long[][] both = read(all -> new long[][] {all.fences(), all.purges()});
            file.writeWatermarks(both[0], both[1]);
            // Only watermarks on the disk are reported to others.
            purgedOnDisk = both[1];
        }
    }

    /** Writes all rollbacks to the disk. Blocks. */
    void writeRollbacks() {
        synchronized (writing) {
            file.writeRollbacks(read(PartitionStates::rollbacks));
        }
    }

    /** Ends rollbacks, first on the disk, except those that have changed since. Blocks. */
    void endRollbacks(PartitionSet partitions, Map<Integer, Version> upTo) {
        synchronized (writing) {
            long[] left = read(PartitionStates::rollbacks);
            partitions
                    .filter(partition -> left[partition]
                            == requireNonNull(upTo.get(partition)).packed())
                    .forEach(partition -> left[partition] = 0);
            file.writeRollbacks(left);
            change(all -> {
                partitions.forEach(partition -> all.endRollback(partition, requireNonNull(upTo.get(partition))));
                return partitions;
            });
        }
    }

    /** Records that more can be purged. */
    void purgeIsDue() {
        purgeIsDue.set(true);
    }

    /** Returns whether more can be purged than at the last call. */
    boolean takePurgeDue() {
        return purgeIsDue.getAndSet(false);
    }
}
