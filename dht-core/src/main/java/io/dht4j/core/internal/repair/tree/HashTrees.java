package io.dht4j.core.internal.repair.tree;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import java.util.Arrays;
import java.util.function.ToIntFunction;

/**
 * Sums over the content of a replica, one for each bucket of each partition: the exclusive or of the digests of its
 * entries. Replicas with equal content have equal sums; with different content the sums almost certainly differ. An
 * entry that is added or removed changes one sum only, so writes report their changes, which are applied in batches.
 *
 * <p>These are the hash trees of G. DeCandia et al., <em>Dynamo</em>, 2007, 4.7, with three levels: partition, bucket,
 * entry. In place of hashes of hashes they use sums that need no order, as in M. Bellare and D. Micciancio, <em>A New
 * Paradigm for Collision-Free Hashing: Incrementality at Reduced Cost</em>, 1997. They are no defence against forged
 * entries that leave sums unchanged; peers are trusted.
 *
 * <p>Safe for use by any number of threads. A thread waits for others at most as long as 32 changes of sums take.
 */
public final class HashTrees implements ContentListener {

    private static final Hasher64 HASHER = Hashing.xxh3_64();
    private static final int MAX_BUCKETS = 64;
    /**
     * The number of stripes in which changes are gathered, so that threads seldom wait for each other; a power of two.
     */
    private static final int STRIPES = 16;

    /** The number of changes of a stripe that are applied together. */
    private static final int BATCH_SIZE = 32;
    /** The total number of buckets, unless there are more partitions. */
    private static final int DEFAULT_BUCKETS = 1 << 16;

    private final ToIntFunction<Key> partitionOf;
    private final int bucketsEach;
    /** Guarded by itself. */
    private final long[] sums;

    private final Changes[] changes = new Changes[STRIPES];

    /**
     * Creates trees of an empty store.
     *
     * @param partitions the number of partitions
     * @param partitionOf returns a key's partition
     */
    public HashTrees(int partitions, ToIntFunction<Key> partitionOf) {
        this.partitionOf = partitionOf;
        this.bucketsEach = Math.max(1, Math.min(MAX_BUCKETS, DEFAULT_BUCKETS / partitions));
        this.sums = new long[partitions * bucketsEach];
        Arrays.setAll(changes, i -> new Changes());
    }

    /** Returns the number of buckets in each partition: a power of two up to 64. */
    int bucketsEach() {
        return bucketsEach;
    }

    @Override
    public void added(Entry entry) {
        long keyHash = hash(entry.key());
        change(entry.key(), keyHash, digest(keyHash, entry));
    }

    @Override
    public void removed(Entry entry) {
        added(entry);
    }

    /** Records a change of one sum. If the removed entry has a cached digest, neither its key nor its value is read. */
    @Override
    public void replaced(Entry before, Entry after) {
        long keyHash = hash(after.key());
        change(after.key(), keyHash, digest(keyHash, before) ^ digest(keyHash, after));
    }

    @Override
    public boolean replaced(Version before, int digest, Entry after) {
        long keyHash = hash(after.key());
        change(after.key(), keyHash, digest(keyHash, before, digest) ^ digest(keyHash, after));
        return true;
    }

    private void change(Key key, long keyHash, long digest) {
        int index = partitionOf.applyAsInt(key) * bucketsEach + bucket(keyHash);
        changes[index & (STRIPES - 1)].add(index, digest);
    }

    /** Applies all recorded changes. Called before sums are read. */
    void settle() {
        for (Changes each : changes) {
            each.settle();
        }
    }

    /**
     * Changes of one sum in 16 that are not applied yet. The sums take half a megabyte and are seldom in a processor's
     * cache. Changes applied one by one would each wait for memory; in a batch, a processor fetches many sums at once.
     */
    private final class Changes {

        // Guarded by this.
        private final int[] indexes = new int[BATCH_SIZE];
        private final long[] digests = new long[BATCH_SIZE];
        private int count;

        synchronized void add(int index, long digest) {
            indexes[count] = index;
            digests[count] = digest;
            if (++count == BATCH_SIZE) {
                settle();
            }
        }

        synchronized void settle() {
            synchronized (sums) {
                for (int i = 0; i < count; i++) {
                    sums[indexes[i]] ^= digests[i];
                }
            }
            count = 0;
        }
    }

    /** Hashes a key, in the same way on every node, independently of the placement's hash function. */
    private static long hash(Key key) {
        return HASHER.hashBytesToLong(key.unsafeBytes());
    }

    private static long digest(long keyHash, Entry entry) {
        return digest(keyHash, entry.version(), entry.digest());
    }

    private static long digest(long keyHash, Version version, int digest) {
        return HASHER.hashLongLongLongToLong(keyHash, version.packed(), digest);
    }

    int bucketOf(Key key) {
        return bucket(hash(key));
    }

    private int bucket(long keyHash) {
        // The low bits: the high ones may have decided on the partition.
        return (int) keyHash & (bucketsEach - 1);
    }

    /** Returns the sum of a partition, as of the last {@link #settle} or later. */
    long partition(int partition) {
        return Arrays.stream(buckets(partition)).reduce(0, (one, other) -> one ^ other);
    }

    /** Returns the sums of a partition's buckets, as of the last {@link #settle} or later. */
    long[] buckets(int partition) {
        synchronized (sums) {
            return Arrays.copyOfRange(sums, partition * bucketsEach, (partition + 1) * bucketsEach);
        }
    }
}
