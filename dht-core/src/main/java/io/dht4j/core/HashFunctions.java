package io.dht4j.core;

import com.dynatrace.hash4j.hashing.Hashing;
import io.dht4j.core.internal.hash.LibraryHash;
import io.dht4j.core.internal.hash.SipHash;
import io.dht4j.core.internal.hash.StringHash;
import io.dht4j.spi.HashFunction;

/**
 * The hash functions to choose from. All are pure, safe for use by any number of threads, and give the same hash on
 * every machine and release. Changing the function of a cluster moves almost every key, so choose it once.
 */
public final class HashFunctions {

    private HashFunctions() {}

    /**
     * XXH3 with 64 bits: the default. Fastest, and even over all bits. Not keyed: who may choose the keys can choose
     * such that meet in one partition.
     *
     * @return the function, named {@code xxh3}
     */
    public static HashFunction xxh3() {
        return new LibraryHash("xxh3", Hashing.xxh3_64());
    }

    /**
     * MurmurHash3 (x64, 128 bits), of which the first 64 bits are used: for comparison with the many systems that use
     * it.
     *
     * @return the function, named {@code murmur3}
     */
    public static HashFunction murmur3() {
        return new LibraryHash("murmur3", Hashing.murmur3_128());
    }

    /**
     * SipHash-2-4: the one to choose where keys come from strangers. Without the secret nobody can choose keys that
     * meet in one partition. Every node of a cluster needs the same secret, for as long as the cluster's data lives.
     *
     * @param key the secret, 16 bytes, copied
     * @return the function, named {@code siphash}
     * @throws IllegalArgumentException if the secret has another length
     */
    public static HashFunction sipHash(byte[] key) {
        return new SipHash(key);
    }

    /**
     * {@link String#hashCode} of the key read as UTF-8, in the upper 32 bits: the control that shows why not. Keys that
     * differ only at the end, such as numbered ones, share their upper bits and so meet in a few partitions. Never for
     * data that matters.
     *
     * @return the function, named {@code string}
     */
    public static HashFunction stringHashCode() {
        return new StringHash();
    }
}
