package io.dht4j.core.internal.repair;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.dht4j.Key;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ToIntFunction;

/**
 * A sum over what a replica holds, for each bucket of each partition: the exclusive or of the digests of its entries. Two replicas that hold the same have
 * the same sums, and others different ones with all likelihood. An entry that comes or goes changes one number, whatever else is held; so the trees are
 * kept up to date by each write. They are the hash trees of G. DeCandia et al., <em>Dynamo</em>, 2007, 4.7, with three levels: partition, bucket, entry; but with sums that
 * need no order in place of hashes of hashes, as in M. Bellare and D. Micciancio, <em>A New Paradigm for Collision-Free Hashing: Incrementality at Reduced Cost</em>, 1997.
 * That is no defence against somebody who makes up entries so that sums stay the same; peers are trusted.
 *
 * <p>Safe for use by any number of threads; never blocks.
 */
public final class HashTrees implements ContentListener {

    private static final Hasher64 HASHER = Hashing.xxh3_64();
    private static final int MAX_BUCKETS = 64;
    /** How many buckets there are in all, unless there are more partitions. */
    private static final int USUAL_BUCKETS = 1 << 16;

    private final ToIntFunction<Key> partitionOf;
    private final int bucketsEach;
    private final AtomicLongArray sums;

    /**
     * Trees of nothing.
     *
     * @param partitions how many partitions there are
     * @param partitionOf finds a key's partition
     */
    public HashTrees(int partitions, ToIntFunction<Key> partitionOf) {
        this.partitionOf = partitionOf;
        this.bucketsEach = Math.max(1, Math.min(MAX_BUCKETS, USUAL_BUCKETS / partitions));
        this.sums = new AtomicLongArray(partitions * bucketsEach);
    }

    /** How many buckets each partition has: a power of two up to 64. */
    int bucketsEach() {
        return bucketsEach;
    }

    @Override
    public void added(Entry entry) {
        long keyHash = hash(entry.key());
        int index = index(entry.key(), keyHash);
        long sum = sums.getPlain(index);
        toggle(index, sum, digest(keyHash, entry));
    }

    @Override
    public void removed(Entry entry) {
        added(entry);
    }

    /** One change of a sum, and nothing of the entry that goes is looked at but what it holds itself. */
    @Override
    public void replaced(Entry before, Entry after) {
        long keyHash = hash(after.key());
        int index = index(after.key(), keyHash);
        long sum = sums.getPlain(index);
        toggle(index, sum, digest(keyHash, before) ^ digest(keyHash, after));
    }

    private int index(Key key, long keyHash) {
        return partitionOf.applyAsInt(key) * bucketsEach + bucket(keyHash);
    }

    /** Changes a sum that was read before the digest was made: the processor fetches it meanwhile, which would take as long as all the rest. */
    private void toggle(int index, long read, long digest) {
        long sum = read;
        while (!sums.compareAndSet(index, sum, sum ^ digest)) {
            sum = sums.get(index);
        }
    }

    /** The same on every node, whatever function places keys. */
    private static long hash(Key key) {
        return HASHER.hashBytesToLong(key.unsafeBytes());
    }

    private static long digest(long keyHash, Entry entry) {
        return HASHER.hashLongLongLongToLong(keyHash, entry.version().packed(), entry.digest());
    }

    int bucketOf(Key key) {
        return bucket(hash(key));
    }

    private int bucket(long keyHash) {
        // The low bits: the high ones may have decided on the partition.
        return (int) keyHash & (bucketsEach - 1);
    }

    long partition(int partition) {
        long sum = 0;
        for (int i = 0; i < bucketsEach; i++) {
            sum ^= bucket(partition, i);
        }
        return sum;
    }

    long bucket(int partition, int bucket) {
        return sums.get(partition * bucketsEach + bucket);
    }
}
