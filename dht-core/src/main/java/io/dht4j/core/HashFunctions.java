package io.dht4j.core;

import com.dynatrace.hash4j.hashing.Hashing;
import io.dht4j.core.internal.hash.LibraryHash;
import io.dht4j.core.internal.hash.SipHash;
import io.dht4j.core.internal.hash.StringHash;
import io.dht4j.spi.HashFunction;

/**
 * Creates hash functions. All are pure, safe for use by any number of threads, and give the same hash on every machine
 * and in every release. Changing the function of a cluster moves almost every key.
 */
public final class HashFunctions {

    private HashFunctions() {}

    /**
     * Returns XXH3 with 64 bits: the default. The fastest function, with evenly distributed bits.
     *
     * <p>Limits: XXH3 has no secret, so a client that chooses its keys can direct them to one partition.
     *
     * @return the function, named {@code xxh3}
     */
    public static HashFunction xxh3() {
        return new LibraryHash("xxh3", Hashing.xxh3_64());
    }

    /**
     * Returns MurmurHash3 (x64, 128 bits), truncated to the first 64 bits, for comparison with the many systems that
     * use it.
     *
     * @return the function, named {@code murmur3}
     */
    public static HashFunction murmur3() {
        return new LibraryHash("murmur3", Hashing.murmur3_128());
    }

    /**
     * Returns SipHash-2-4, for keys from untrusted clients: without the secret they cannot direct keys to one
     * partition. Every node of a cluster needs the same secret for the lifetime of the cluster's data.
     *
     * @param key the secret, 16 bytes, copied
     * @return the function, named {@code siphash}
     * @throws IllegalArgumentException if the secret has another length
     */
    public static HashFunction sipHash(byte[] key) {
        return new SipHash(key);
    }

    /**
     * Returns {@link String#hashCode} of the key decoded as UTF-8, in the upper 32 bits, as a negative control. Keys
     * that differ only at the end, such as numbered keys, have the same upper bits and fall into few partitions.
     * Unsuitable for production.
     *
     * @return the function, named {@code string}
     */
    public static HashFunction stringHashCode() {
        return new StringHash();
    }
}
